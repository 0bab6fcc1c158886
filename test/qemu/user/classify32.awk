# SPDX-License-Identifier: BSD-2-Clause
#
# Reads binutils' text of instructions, then the classification of the same instructions by words32; set_name is one of
# its sets.  Prints one line that says where they disagree, and a second one with the number of instructions that it
# knows.  It is a second formulation of what A32 and T32 instructions count: by name, where qemu/classify/a32.c goes by
# encoding.

# Adds the events in names to those that are wanted: in any case (":"), if the condition passes ("+") or if it fails
# ("-").  Without a condition all are wanted in any case.
function set(part, names,    i, n, name) {
    n = split(names, name, " ")
    for (i = 1; i <= n; i++) want[(part == ":" || has_condition) ? part : ":", name[i]] = 1
}
# Returns whether the whole name of the instruction matches the pattern.
function is(pattern) { return m ~ ("^(" pattern ")$") }

# Classifies by name: sets elements of k.  Sets unknown if neither Armv7-A nor Armv8 has the instruction, or if it is
# UNPREDICTABLE.
function classify(    first, list_has_pc, s) {
    split("", k)
    first = o; sub(/[, ].*/, "", first)
    list_has_pc = o ~ /[{ -]pc[},]/

    if (is("nop|yield|wfe|wfi|sevl?|esb|dbg|csdb|tsb|psb|bti|pac|aut|pacbti|it[te]*") || \
        is("setend|setpan|cps(i[de])?|mrs|msr")) {
        k["dp"] = 1; if (m == "csdb" || o == "{20}") k["csdb"] = 1
    } else if (is("dsb|ssbb|pssbb|dfb")) k["dsb"] = 1
    else if (is("dmb|isb")) k[m] = 1
    else if (is("sb|clrex|eret")) k["other"] = 1
    else if (m == "subs" && o ~ /^pc, lr, #0$/ && t32) k["other"] = 1
    else if (is("svc")) k["svc"] = 1
    else if (is("udf|bkpt|hlt|hvc|smc")) k["trap"] = 1

    # Branches.
    else if (is("cbn?z")) { k["imm"] = 1; has_condition = 1 }
    else if (is("b|bl|blx") && o ~ /^0x/) { k["imm"] = 1; if (m != "b") k["link"] = 1 }
    else if (is("bx|bxj|blx")) {
        k["reg"] = 1; if (m == "blx") k["link"] = 1
        if (m == "bx" && first == "lr") k["return"] = 1
    }
    else if (is("tbb|tbh")) k["reg"] = k["load"] = 1

    # Loads and stores.
    else if (is("pld|pldw|pli")) k["prefetch"] = k["dp"] = 1
    else if (is("swpb?")) k["load"] = k["store"] = 1
    else if (is("ldrex[bhd]?")) k["load"] = k["ldx"] = 1
    else if (is("strex[bhd]?")) k["stx"] = 1
    else if (is("ldaex[bhd]?")) k["load"] = k["ldx"] = k["acquire"] = 1
    else if (is("stlex[bhd]?")) k["stx"] = k["release"] = 1
    else if (is("lda[bh]?")) k["load"] = k["acquire"] = 1
    else if (is("stl[bh]?")) k["store"] = k["release"] = 1
    else if (is("ldr[bh]?t?|ldrs[bh]t?|ldrd")) {
        k["load"] = 1
        if (m == "ldr" && first == "pc") { k["reg"] = 1; if (o ~ /^pc, \[sp\], #/) k["return"] = 1 }
    }
    else if (is("str[bh]?t?|strd")) k["store"] = 1
    else if (is("pop|ldm(ia|ib|da|db)?")) {
        k["load"] = 1
        if (list_has_pc && o !~ /\^$/) {
            k["reg"] = 1
            if (m == "pop" || (is("ldm|ldmia") && o ~ /^sp!/)) k["return"] = 1
        }
    }
    else if (is("push|stm(ia|ib|da|db)?")) k["store"] = 1
    else if (is("rfe(ia|ib|da|db)?")) k["load"] = 1
    else if (is("srs(ia|ib|da|db)?")) k["store"] = 1
    else if (is("vldr|vldm(ia|db)|vpop|fldm(ia|db)x")) k["load"] = 1
    else if (is("vstr|vstm(ia|db)|vpush|fstm(ia|db)x")) k["store"] = 1
    else if (is("vld[1-4]")) k["load"] = k["ase_mem"] = 1
    else if (is("vst[1-4]")) k["store"] = k["ase_mem"] = 1
    else if (is("ldc") && o ~ /^14, cr5,/) k["load"] = 1
    else if (is("stc") && o ~ /^14, cr5,/) k["store"] = 1

    # System registers.
    else if (is("mcr|mrc|mcrr|mrrc") && o ~ /^1[45],/) {
        s = m == "mcr" ? o : ""
        sub(/^15, 0, [a-z0-9]+,/, "15, 0, R,", s)
        if (s ~ /^15, 0, R, cr7, cr5, \{4\}/) k["isb"] = 1
        else if (s ~ /^15, 0, R, cr7, cr10, \{4\}/) k["dsb"] = 1
        else if (s ~ /^15, 0, R, cr7, cr10, \{5\}/) k["dmb"] = 1
        else k["dp"] = 1
    }

    # SIMD and floating-point.
    else if (is("aes(e|d|mc|imc)|sha(1|256)[a-z0-9]*")) k["crypto"] = 1
    else if (is("vmrs|vmsr")) k["dp"] = 1
    else if (is("vmov|vdup") && o ~ /(^|[ ,])(r[0-9]+|sl|fp|ip|sp|lr|pc|sb)(,|$)/) k["dp"] = 1
    else if (is("v(fmal|fmsl|(s|u|us|su)?dot|s?mmla|ummla|usmmla|cmla|cadd|fma[bt])") && \
             (type == "bf16" || m !~ /^vfma[bt]$/)) k["ase"] = 1
    else if (m ~ /^v/) {
        if (type ~ /f64/ || o ~ /(^|[ ,{-])s[0-9]+(,|$)/ || is("vins|vmovx|vcvt[bt]|vjcvt")) k["vfp"] = 1
        else k["ase"] = 1
    }

    # Data processing.
    else if (is("(and|eor|sub|rsb|add|adc|sbc|rsc|orr|mov|bic|mvn|orn|lsl|lsr|asr|ror|rrx|neg)s?|addw|subw|adr")) {
        k["dp"] = 1
        if (first == "pc" && m !~ /s$/) {
            if (t32 && length(word) == 8) { unknown = 1; return }
            k["reg"] = 1; if (m == "mov" && o ~ /^pc, lr$/) k["return"] = 1
        }
    }
    else if (is("(tst|teq|cmp|cmn)p?|movw|movt|qadd|qsub|qdadd|qdsub|(s|q|sh|u|uq|uh)((add|sub)(8|16)|asx|sax)|sel"))
        k["dp"] = 1
    else if (is("(mul|mla)s?|mls|[us]m(ull|lal)s?|umaal|[us]div|usada?8|smm(ul|la|ls)r?|sm(ua|us|la|ls)dx?"))
        k["dp"] = 1
    else if (is("sml[as]ldx?|sm(ul|la|lal)[bt][bt]|sm(ul|la)w[bt]") || \
             is("crc32c?[bhw]|pkh(bt|tb)|[us]sat(16)?|[us]xta?[bh](16)?"))
        k["dp"] = 1
    else if (is("rev|rev16|revsh|rbit|clz|bfc|bfi|[us]bfx")) k["dp"] = 1
    else unknown = 1
}

# Returns the alignment in bytes that keeps a load or store from being unaligned; 1 if an unaligned one always faults.
function alignment() {
    if (is("v(ld|st)[1-4r]")) return is("v(ld|st)r") ? (type == "16" ? 2 : 1) : type / 8
    return is("(ldr|str)t?") || t ~ /\((ldr|str)[a-z]* / ? 4 : is("(ldrs?|str)ht?|tbh") ? 2 : 1
}

NR == FNR {
    if ($1 ~ /^[0-9a-f]+:$/) {
        a = $1; sub(/:/, "", a)
        t = $0; sub(/^[^\t]*\t[^\t]*\t/, "", t); gsub(/\t/, " ", t)
        text[a] = t
    }
    next
}

{
    word = $2; t = text[$1]
    t32 = set_name != "a32"
    if (t == "" || t ~ /UNPREDICTABLE|UNDEFINED|undefined|illegal|invalid|FPSCR_|VPR|FPCXT|\?\?|^\.inst/) next
    m = t; sub(/ .*/, "", m)
    o = t; if (!sub(/^[^ ]+ +/, "", o)) o = ""
    sub(/ *[@;].*/, "", o); sub(/ +$/, "", o); sub(/ <.*/, "", o)
    sub(/\.[nw]$/, "", m)
    type = m; if (!sub(/^[^.]*\./, "", type)) type = ""
    sub(/\..*/, "", m)

    # The condition is known from the encoding or the IT block, so it can be removed from the name.
    condition = $3 == "it" ? "eq" : ""
    i = index("0123456789abcdef", substr(word, 1, 1))
    if (!t32) condition = substr("eqnecsccmiplvsvchilsgeltgtle", 2 * i - 1, 2)
    has_condition = condition != "" && m !~ /^(bkpt|hlt)$/
    if (has_condition && !sub(condition "$", "", m)) next
    if (t32 && m ~ /^b(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)$/) { m = "b"; has_condition = 1 }

    # Skips names that binutils gives to unallocated encodings: around MSR, with P, U and W all zero, and registers of
    # Armv8.1-M.
    if (!t32 && word ~ /^.1[0246]/ && (m ~ /^(tst|teq|cmp|cmn)/ || m ~ /^(mrs|msr)$/ && word !~ /0.$/)) next
    if (m ~ /^(ldc|stc)/ && word ~ /^..[01]/) next
    if (m ~ /^(vldr|vstr)$/ && o !~ /^[sd][0-9]/) next
    # Skips hints that it names where there are none, and registers that are UNPREDICTABLE though it does not say so.
    if (m ~ /^pl[di]w?$/ && o ~ /\],|(lsl|lsr|asr|ror) [a-z]/) next
    if (m ~ /^ldr.+/ && o ~ /^pc,/) next

    unknown = 0
    classify()
    if (unknown) next
    known++

    split("", want)
    branch = k["imm"] || k["reg"]
    if (k["trap"]) set("-", has_condition ? "INST_RETIRED INST_SPEC CPU_CYCLES" : "")
    else set(":", "INST_RETIRED INST_SPEC CPU_CYCLES")
    if (branch) {
        set(":", "BR_RETIRED PC_WRITE_SPEC " (has_condition ? "BR_COND_RETIRED" : "BR_UNCOND_RETIRED"))
        set("+", "PC_WRITE_RETIRED")
        if (has_condition) { set("+", "BR_COND_TAKEN_RETIRED"); set("-", "BR_SKIP_RETIRED") }
        if (k["imm"]) { set(":", "BR_IMMED_RETIRED BR_IMMED_SPEC"); set("+", "BR_IMMED_TAKEN_RETIRED") }
        if (k["imm"] && has_condition) set("-", "BR_IMMED_SKIP_RETIRED")
        if (k["reg"]) { set(":", "BR_IND_RETIRED BR_INDIRECT_SPEC"); set("+", "BR_IND_TAKEN_RETIRED") }
        if (k["reg"] && !k["return"]) { set(":", "BR_INDNR_RETIRED"); set("+", "BR_INDNR_TAKEN_RETIRED") }
        if (k["return"]) { set(":", "BR_RETURN_ANY_RETIRED"); set("+", "BR_RETURN_RETIRED BR_RETURN_SPEC") }
        if (k["link"]) set("+", "BL_TAKEN_RETIRED " (k["reg"] ? "BL_IND_TAKEN_RETIRED" : "BL_IMMED_TAKEN_RETIRED"))
        else {
            set("+", "BRNL_TAKEN_RETIRED " (k["reg"] ? "BRNL_IND_TAKEN_RETIRED" : "BRNL_IMMED_TAKEN_RETIRED"))
            if (k["reg"] && !k["return"]) set("+", "BRNL_INDNR_TAKEN_RETIRED")
        }
    }
    if (k["load"]) set("+", "LD_RETIRED LD_ANY_RETIRED LD_SPEC MEM_ACCESS_RD MEM_ACCESS LDST_ANY_RETIRED")
    if (k["store"]) set("+", "ST_RETIRED ST_ANY_RETIRED MEM_ACCESS_WR MEM_ACCESS LDST_ANY_RETIRED")
    if (k["store"] || k["stx"]) set("+", "ST_SPEC")
    if (k["load"] || k["store"] || k["stx"]) set("+", "LDST_SPEC")
    if (k["load"] || k["store"] || k["stx"]) set(":", "ALIGNED_" alignment())
    if (k["ldx"]) set("+", "LDREX_SPEC")
    if (k["stx"]) set("+", "STREX_SPEC")
    if (k["acquire"]) set("+", "RC_LD_SPEC")
    if (k["release"]) set("+", "RC_ST_SPEC")
    if (k["prefetch"]) set("+", "PRF_RETIRED PRF_SPEC")
    if (k["dp"]) set("+", "DP_RETIRED DP_SPEC")
    if (k["vfp"]) set("+", "VFP_RETIRED VFP_SPEC")
    if (k["ase"]) set("+", "ASE_RETIRED ASE_SPEC ASE_SVE_RETIRED")
    if (k["crypto"]) set("+", "CRYPTO_RETIRED CRYPTO_SPEC")
    if (k["ase"] || k["ase_mem"] || k["crypto"]) {
        set("+", "ASE_INST_RETIRED ASE_SVE_INST_RETIRED SIMD_INST_RETIRED")
        set("+", "ASE_INST_SPEC ASE_SVE_INST_SPEC SIMD_INST_SPEC")
    }
    if (k["isb"]) set("+", "ISB_SPEC")
    if (k["dsb"]) set("+", "DSB_SPEC")
    if (k["dmb"]) set("+", "DMB_SPEC")
    if (k["csdb"]) set("+", "CSDB_SPEC")
    if (k["svc"]) set("+", "EXC_SVC")
    if (k["svc"] || k["trap"]) set("+", "EXC_TAKEN")

    wrong = ""
    for (i = 4; i <= NF; i++) {
        if ($i ~ /^[-:+]$/) part = $i
        else if ((part, $i) in want) delete want[part, $i]
        else wrong = wrong " not " part $i
    }
    for (left in want) { split(left, pair, SUBSEP); wrong = wrong " but " pair[1] pair[2] }
    if (wrong != "" && bad++ < 3) printf "%s%s, %s:%s; ", word, $3 == "it" ? " in IT" : "", t, wrong
}

END { print ""; print known + 0 }
