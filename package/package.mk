# SPDX-License-Identifier: BSD-2-Clause
# What packages need besides `make install`: the interface's documents, its comparison with earlier ones, the list of
# parts, and Debian's packages.

# Writes the reference of the public headers as pages for a browser, to $(B)/reference.  It needs Doxygen.
.PHONY: reference
reference:
	@mkdir -p $(B)/reference
	$(call say,GEN   $(B)/reference/index.html)
	$(Q)VERSION=$(VERSION) OUTPUT=$(B)/reference doxygen package/Doxyfile

# Writes a man page of section 3 for each public header, to $(B)/man3.  `make install` then installs them.
.PHONY: man3
man3:
	$(call say,GEN   $(B)/man3)
	$(Q)python3 tools/man3.py $(B)/man3

# Writes the list of the parts of armpmu, their licences and what they are linked with, in SPDX 2.3, to $(B).
.PHONY: sbom
sbom:
	@mkdir -p $(B)
	$(call say,GEN   $(B)/armpmu-$(VERSION).spdx.json)
	$(Q)python3 tools/sbom.py $(VERSION) >$(B)/armpmu-$(VERSION).spdx.json

# Compares the binary interface with package/abi.txt and with the last tag (doc/abi.md); abi-baseline writes that file.
.PHONY: abi abi-baseline
abi abi-baseline: $(LIBRARY)
	@B=$(B) CC="$(CC)" sh tools/abi.sh $(LIBRARY) $(if $(filter abi-baseline,$@),--write)

# Builds the Debian packages in a fresh chroot of SUITE (bookworm unless given), for amd64 and cross for arm64, and
# checks them (tools/debs.sh).  They are left in $(B)/check-debian-SUITE.
.PHONY: deb debs
deb:
	@$(MAKE) --no-print-directory check-debian SUITE=$(or $(SUITE),bookworm) TARGETS=debs

# Builds them on this Debian system, and installs what this needs.
debs:
	@sh tools/debs.sh $(or $(ARCHITECTURES),amd64 arm64)
