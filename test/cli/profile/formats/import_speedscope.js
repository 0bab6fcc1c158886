// SPDX-License-Identifier: BSD-2-Clause
// Usage: import_speedscope.js PACKAGE FILE...
//
// Imports files with the importer of speedscope, whose package is in the folder PACKAGE, and prints for each a line of
// JSON: [{name, total, self: {FUNCTION: WEIGHT}, inclusive: {FUNCTION: WEIGHT}}] for each of its profiles.
//
// The package is one script for a browser.  It runs here without one: whatever it asks of the page is an object that
// has every member.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

function anything() {
    const object = new Proxy(function () {}, {
        get: (target, key) => key === Symbol.toPrimitive ? () => '' : key === Symbol.iterator ? undefined :
            key === 'then' ? undefined : object,
        apply: () => object,
        construct: () => object,
        set: () => true,
    });
    return object;
}

// Returns the module of speedscope that imports files.
function importer(folder) {
    const release = path.join(folder, 'dist', 'release');
    const name = fs.readdirSync(release).find(file => /^speedscope-.*\.js$/.test(file));
    const source = fs.readFileSync(path.join(release, name), 'utf8');
    const module = /([\w$]+)=\{\};[\w$]+\(\1,\{importFromFileSystemDirectoryEntry/.exec(source);
    const load = module && new RegExp(`\\(\\)=>\\(([\\w$]+)\\(\\),${module[1].replace('$', '\\$')}\\)`).exec(source);
    const body = source.indexOf('{', source.indexOf('(()=>'));

    if (!load || body < 0) {
        throw new Error('this release of speedscope is built otherwise than the test expects');
    }
    const sandbox = {
        console: {log() {}, warn: console.warn, error: console.error}, TextDecoder, TextEncoder, Uint8Array, DataView,
        ArrayBuffer, URL, setTimeout, clearTimeout, performance, document: anything(),
        navigator: {userAgent: '', platform: ''}, location: {hash: '', protocol: 'file:', href: ''},
        localStorage: anything(), history: anything(),
        requestAnimationFrame() {}, addEventListener() {}, matchMedia: anything(), HTMLElement: function () {},
        fetch: () => new Promise(() => {}),
    };

    sandbox.window = sandbox.self = sandbox.globalThis = sandbox;
    vm.createContext(sandbox);
    try {
        vm.runInContext(source.slice(0, body + 1) + `window.load=()=>(${load[1]}(),${module[1]});` +
                        source.slice(body + 1), sandbox);
    } catch (error) { // of the page that is not there, after all functions were defined
        if (!sandbox.load) {
            throw error;
        }
    }
    return sandbox.load();
}

function summary(profile) {
    const self = {}, inclusive = {};

    profile.forEachFrame(frame => {
        self[frame.name] = (self[frame.name] || 0) + frame.getSelfWeight();
        inclusive[frame.name] = (inclusive[frame.name] || 0) + frame.getTotalWeight();
    });
    return {name: profile.getName(), total: profile.getTotalWeight(), self, inclusive};
}

async function main() {
    const module = importer(process.argv[2]);

    for (const file of process.argv.slice(3)) {
        const bytes = fs.readFileSync(file);
        const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
        const group = await module.importProfilesFromArrayBuffer(path.basename(file), buffer);

        console.log(JSON.stringify(group === null ? null : group.profiles.map(summary)));
    }
}
main().catch(error => {
    console.error(error);
    process.exit(1);
});
