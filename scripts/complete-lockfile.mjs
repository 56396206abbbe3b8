#!/usr/bin/env node
/**
 * Adds to package-lock.json the optional packages for other platforms that a partial registry mirror
 * did not have, for which `npm ci` would otherwise refuse the lockfile. Their version is exact; their
 * hash is unknown here and omitted. Run it after each `npm install` that changes a dependency.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findUnlocked } from './runner/lockfile.mjs'
import { root } from './runner/paths.mjs'

const OPERATING_SYSTEMS = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const PROCESSORS = [
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
]

const file = join(root, 'package-lock.json')
const lockfile = JSON.parse(readFileSync(file, 'utf8'))

for (const { name, version, dev } of findUnlocked(lockfile)) {
  const parts = name.split(/[/-]/)
  const systems = parts.filter((word) => OPERATING_SYSTEMS.includes(word))
  const processors = parts.filter((word) => PROCESSORS.includes(word))
  const entry = { version, cpu: processors }
  if (dev) entry.dev = true
  if (parts.includes('musl')) entry.libc = ['musl']
  entry.optional = true
  if (systems.length > 0) entry.os = systems
  if (processors.length === 0) throw new Error(`The platform of ${name} is not in its name`)
  lockfile.packages[`node_modules/${name}`] = entry
  console.log(`${name} ${version}`)
}

const sorted = Object.entries(lockfile.packages).sort(([a], [b]) => a.localeCompare(b, 'en'))
writeFileSync(file, `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
