# SPDX-License-Identifier: BSD-2-Clause
#
# Turns "WORD EXECUTIONS STORES JUMPS M2 M4 M8 M16 MNEMONIC OPERANDS" lines, with the text as binutils writes it, into
# "EVENT TOTAL" lines.  It is a second formulation of what each event counts: by name, where qemu/classify/a64.c goes by
# encoding.

# Adds n to the total of the event.
function add(event, n) { total[event] += n }

# Returns the suffix of an atomic: a, l, then b or h for the size.
function suffix(base) { return substr(m, length(base) + 1) }

# Returns the name of the atomic without its suffix, or "" if it is no atomic.
function atomic_base(    i, b) {
    for (i = 1; i <= bases; i++) {
        b = base[i]
        if (substr(m, 1, length(b)) == b && suffix(b) ~ /^a?l?[bh]?t?$/)
            return b
    }
    return ""
}

# Returns the size in bytes of a register that is named in the operands.
function width(r) {
    return r ~ /^[wW]/ || r ~ /^s[0-9]/ ? 4 : r ~ /^[xX]/ || r ~ /^d[0-9]/ ? 8 : r ~ /^q/ ? 16 : r ~ /^h/ ? 2 : 1
}

# Returns the alignment that keeps a load or store from being unaligned: the size of an element or register, or of an
# atomic pair.
function alignment(    r, part) {
    if (o ~ /^\{/) # structures: the element of the arrangement
        return o ~ /^\{ ?v[0-9]+\.[0-9]*b/ ? 1 : o ~ /^\{ ?v[0-9]+\.[0-9]*h/ ? 2 : o ~ /^\{ ?v[0-9]+\.[0-9]*s/ ? 4 : 8
    if (m ~ /^(cpy|set)/ || m ~ /^(ld|st)[z2]*g/) return 1
    if (m ~ /(sw)$/ && m ~ /^ld/) return 4
    if (m ~ /^(ld|st|swp|cas)/ && m ~ /b$/ && m !~ /^ld64b/) return 1
    if (m ~ /^(ld|st|swp|cas)/ && m ~ /h$/) return 2
    r = o
    if (m ~ /^st[l]?x/) sub(/^[^,]*, */, "", r) # the status comes first
    split(r, part, /,/)
    return width(part[1]) * \
        (m ~ /^(ld|ldax|ldx|stx|stlx)?(xp|axp|lxp)$/ || m ~ /^casp/ || m ~ /x?p$/ && exclusive ? 2 : 1)
}

BEGIN {
    sve_names = "^(rdvl|addvl|addpl|rdsvl|addsvl|addspl|cnt[bhwd]|[su]?q?(inc|dec)[bhwd]|ctermeq|ctermne|setffr)$"
    vfp_names = "^(bfcvt|f(mov|add|sub|mul|div|nmul|max|min|maxnm|minnm|abs|neg|sqrt|cvt|cmpe?|ccmpe?|csel|n?madd|" \
                "n?msub|rint.*|jcvtzs))$"
    bases = split("ldadd ldclr ldeor ldset ldsmax ldsmin ldumax ldumin stadd stclr steor stset stsmax stsmin " \
                  "stumax stumin swp casp cas ldclrp ldsetp swpp " \
                  "rcwcas rcwcasp rcwclr rcwclrp rcwset rcwsetp rcwswp rcwswpp " \
                  "rcwscas rcwscasp rcwsclr rcwsclrp rcwsset rcwssetp rcwsswp rcwsswpp", base, " ")
}

{
    n = $2; stores = $3; jumps = $4; m = $9
    o = $0
    for (i = 1; i <= 9; i++)
        sub(/^[^ ]+ ?/, "", o)
    sub(/ *\/\/.*/, "", o)
    sub(/[0-9a-f]+ <.*>/, "", o) # an address, which may look like a register: b20

    if (m ~ /^(mrs|msr|mrrs|msrr)$/) # names of registers look like SIMD&FP registers: s2_0_c0_c4_0
        sub(/[a-z][a-z0-9]*_[a-z0-9_]*/, "sysreg", o)

    retired = m !~ /^(udf|brk|hlt|hvc|smc|eret|eretaa|eretab|dcps[123]|\.inst)$/
    if (!retired || m == "svc") add("EXC_TAKEN", n)
    if (m == "svc") add("EXC_SVC", n)
    if (!retired) next
    add("INST_RETIRED", n); add("INST_SPEC", n); add("CPU_CYCLES", n)
    class = ""

    # Branches.
    if (m ~ /^(b|bl|b\..*|bc\..*|cbn?z|tbn?z|br|blr|ret|braaz?|brabz?|blraaz?|blrabz?|retaa|retab)$/) {
        class = "branch"
        cond = m ~ /^(b\..*|bc\..*|cbn?z|tbn?z)$/
        reg = m ~ /^(br|blr|ret|bra|blra|brab|blrab)/
        link = m ~ /^bl/
        return_ = m ~ /^ret/
        add("BR_RETIRED", n); add("PC_WRITE_SPEC", n)
        if (cond) add("BR_COND_RETIRED", n); else add("BR_UNCOND_RETIRED", n)
        taken = cond ? jumps : n
        add("PC_WRITE_RETIRED", taken)
        add("BR_SKIP_RETIRED", n - taken)
        if (cond) add("BR_COND_TAKEN_RETIRED", taken)
        if (!reg) { add("BR_IMMED_TAKEN_RETIRED", taken); add("BR_IMMED_SKIP_RETIRED", n - taken) }
        if (!link) add("BRNL_TAKEN_RETIRED", taken)
        if (!link && !reg) add("BRNL_IMMED_TAKEN_RETIRED", taken)
        if (m ~ /^bc\./) add("BR_HINT_COND_RETIRED", n)
        if (!reg) { add("BR_IMMED_RETIRED", n); add("BR_IMMED_SPEC", n) }
        if (reg) {
            add("BR_IND_RETIRED", n); add("BR_IND_TAKEN_RETIRED", n); add("BR_INDIRECT_SPEC", n)
            if (!link) add("BRNL_IND_TAKEN_RETIRED", n)
            if (!return_) {
                add("BR_INDNR_RETIRED", n); add("BR_INDNR_TAKEN_RETIRED", n)
                if (!link) add("BRNL_INDNR_TAKEN_RETIRED", n)
            }
        }
        if (return_) { add("BR_RETURN_RETIRED", n); add("BR_RETURN_ANY_RETIRED", n); add("BR_RETURN_SPEC", n) }
        if (link) { add("BL_TAKEN_RETIRED", n); add(reg ? "BL_IND_TAKEN_RETIRED" : "BL_IMMED_TAKEN_RETIRED", n) }
    }

    # Loads and stores.
    a = atomic_base()
    exclusive = m ~ /^(ldx|ldax|stx|stlx)[rp]/
    sve_regs = o ~ /(^|[^a-z0-9_])(z[0-9]+|pn?[0-9]+)([.\/,]|$)/ || o ~ /(^|[{ ,-])z[0-9]+/
    prefetch = m ~ /^(prfm|prfum|rprfm|prf[bhwd])$/
    copy = m ~ /^cpyf?[pme]/ && o ~ /!$/
    set = m ~ /^setg?[pme]/
    load = a != "" || m ~ /^ld/ || copy
    stx = exclusive && m ~ /^st/
    store = a != "" || copy || set || (m ~ /^st/ && !stx) || (m == "dc" && o ~ /^(zva|gva|gzva)/)
    if (m ~ /^(wfe|wfi|yield)/) load = store = 0
    wrote = store ? n : stx ? stores : 0
    if (load) { add("LD_RETIRED", n); add("LD_ANY_RETIRED", n); add("LD_SPEC", n); add("MEM_ACCESS_RD", n) }
    add("ST_RETIRED", wrote); add("ST_ANY_RETIRED", wrote); add("MEM_ACCESS_WR", wrote)
    if (store || stx) add("ST_SPEC", n)
    add("MEM_ACCESS", wrote + (load ? n : 0))
    add("LDST_ANY_RETIRED", load ? n : wrote)
    if (load || store || stx) { add("LDST_SPEC", n); class = "memory" }
    if (exclusive) add(stx ? "STREX_SPEC" : "LDREX_SPEC", n)
    if ((load || store || stx) && m != "dc") {
        bytes = alignment()
        if (bytes > 1) add("UNALIGNED_LDST_RETIRED", $(4 + (bytes > 1) + (bytes > 2) + (bytes > 4) + (bytes > 8)))
    }
    acquire = m ~ /^(ldiapp$|ldar|ldaxr|ldaxp|ldapr|ldapur|ldapurs|ldlar)/ || (a != "" && suffix(a) ~ /^a/)
    release = m ~ /^(stilp$|stlr|stlxr|stlxp|stlur|stllr)/ || (a != "" && suffix(a) ~ /^a?l/)
    if (acquire) add("RC_LD_SPEC", n)
    if (release) add("RC_ST_SPEC", n)
    if (prefetch) { add("PRF_RETIRED", n); add("PRF_SPEC", n) }

    # Barriers, and other instructions of no class.
    if (m == "isb") add("ISB_SPEC", n)
    if (m ~ /^(dsb|ssbb|pssbb)$/) add("DSB_SPEC", n)
    if (m == "dmb") add("DMB_SPEC", n)
    if (m == "csdb") add("CSDB_SPEC", n)
    if (m ~ /^(isb|dsb|ssbb|pssbb|dmb|sb|clrex|svc)$/) class = "none"

    # Register files.
    sme = o ~ /(^|[^a-z0-9_])(za[0-9]*([^a-z]|[hv]?[0-9.])|zt0)/
    sve = sve_regs || m ~ sve_names
    if (o ~ /^v[0-9]/ && m !~ /qv$/) sve = 0
    if (sme) sve = 0
    crypto = m ~ /^(aes|sha[0-9]|sm3|sm4|rax1$)/ || (!sve && m ~ /^(eor3|bcax|xar)$/)
    vector = o ~ /(^|[^a-z0-9_])v[0-9]+/
    fp = o ~ /(^|[^a-z0-9_])[bhsdq][0-9]+([^a-z0-9]|$)/
    general = o ~ /(^|[^a-z0-9_])([wx][0-9]+|[wx]zr|wsp|sp)([^a-z0-9]|$)/
    ase = ase_scalar = vfp = 0
    if (class == "" && !prefetch && !sve && !sme && !crypto && (vector || fp)) {
        if (general && m ~ /^(fmov|dup|mov|umov|smov|ins)$/)
            ;                                         # a move between the register files
        else if (!vector && m ~ vfp_names)
            vfp = 1
        else if (general && m ~ /^(fcvt[a-z]*|[su]cvtf|fjcvtzs)$/)
            vfp = 1
        else {
            ase = 1
            # The first operand is a scalar register: the scalar form, except for reductions over a vector.
            ase_scalar = o ~ /^[bhsdq][0-9]+/ && m != "movi" && \
                         m !~ /^([su]?addl?v|[su](max|min)v|f(max|min)(nm)?v|saddlv|uaddlv)$/
        }
    }
    if (vfp) { add("VFP_RETIRED", n); add("VFP_SPEC", n) }
    if (ase) { add("ASE_RETIRED", n); add("ASE_SPEC", n); add("ASE_SVE_RETIRED", n) }
    if (crypto) { add("CRYPTO_RETIRED", n); add("CRYPTO_SPEC", n) }
    if (sve) {
        add("SVE_INST_RETIRED", n); add("SVE_INST_SPEC", n)
        if (class == "" && !prefetch && !crypto) { add("SVE_RETIRED", n); add("ASE_SVE_RETIRED", n) }
    }
    ase_memory = class == "memory" && !sve && !sme && (o ~ /^\{/ || o ~ /^q[0-9]/)
    ase_inst = (ase && !ase_scalar) || (crypto && !sve) || ase_memory
    if (ase_inst) { add("ASE_INST_RETIRED", n); add("ASE_INST_SPEC", n) }
    if (ase_inst || sve) { add("ASE_SVE_INST_RETIRED", n); add("ASE_SVE_INST_SPEC", n) }
    if (ase_inst || sve || sme) { add("SIMD_INST_RETIRED", n); add("SIMD_INST_SPEC", n) }
    if (class == "" && !sve && !sme && !crypto && !vfp && !ase) { add("DP_RETIRED", n); add("DP_SPEC", n) }
}

END { for (event in total) printf "%s %d\n", event, total[event] }
