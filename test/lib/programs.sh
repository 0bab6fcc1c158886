# SPDX-License-Identifier: BSD-2-Clause
# Inputs of real programs: small scripts of which a test chooses the lengths.

# Writes lines, hash.pl, sort.lua and groups.sql into DIR.  Each number is how often one of them goes round.
write_inputs() { # DIR LINES PERL LUA SQL
    seq 1 "$2" | sed 's/.*/line & of text &/' >"$1/lines"
    cat >"$1/hash.pl" <<END
my %h;
\$h{\$_ % 97} += \$_ for 1 .. $3;
print join(",", map { "\$_=\$h{\$_}" } sort keys %h), "\n";
END
    cat >"$1/sort.lua" <<END
local t = {}
for i = 1, $4 do t[i] = tostring(i * 7 % 1000) end
table.sort(t)
print(#table.concat(t))
END
    cat >"$1/groups.sql" <<END
create table t(a, b);
with recursive n(i) as (select 1 union all select i + 1 from n where i < $5)
    insert into t select i, i * 7 % 100 from n;
select b, count(*) from t group by b order by 2, 1 limit 5;
END
}
