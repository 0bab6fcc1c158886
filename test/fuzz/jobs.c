/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzes the reader of lists of jobs (cli/jobs_list.c): a job that is taken has words, and its name can be a file's. */
#include <string.h>

#include "../../cli/jobs.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct cli_verb verb = {.name = "fuzz"};
    struct job_list list;

    fuzz_quietly();
    if (jobs_parse(&list, &verb, "fuzz", (const char *)data, size) == CLI_YES) {
        for (size_t i = 0; i < list.count; i++) {
            const struct job *job = &list.jobs[i];

            if (job->name[0] == '\0' || strchr(job->name, '/') != NULL || job->words[0] == NULL) {
                abort();
            }
        }
        jobs_keep_part(&list, 1, 2);
    }
    jobs_free(&list);
    return 0;
}

FUZZ_MAIN("test/fuzz/corpus/jobs")
