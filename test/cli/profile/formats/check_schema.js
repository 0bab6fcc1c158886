// SPDX-License-Identifier: BSD-2-Clause
// Usage: check_schema.js SCHEMA FILE
//
// Succeeds if the JSON in FILE has the schema; else prints what differs.  Needs ajv.
'use strict';
const fs = require('fs');
const path = require('path');
const Ajv = require(path.join(process.env.NODE_PATH, 'ajv')).default;

const [schema, file] = process.argv.slice(2).map(name => JSON.parse(fs.readFileSync(name, 'utf8')));
const check = new Ajv({strict: false}).compile(schema);

if (!check(file)) {
    console.log(JSON.stringify(check.errors.slice(0, 3)));
    process.exit(1);
}
