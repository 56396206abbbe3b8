import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './paths.mjs'
import { packagedNode } from './project-node.mjs'
import { runProgram } from './run-program.mjs'
import { CannotContinue } from './say.mjs'

/** What the built command line needs, in a checkout. */
const FILES = [
  ...[
    'cli.mjs',
    'cli-main.cjs',
    'documents.cjs',
    'search.cjs',
    'sandbox.mjs',
    'shared-page.html',
    'seccomp',
  ].map((name) => `out/${name}`),
  ...['agents', 'docs', 'package.json', 'LICENSE', 'node_modules/@vscode'],
]

const LAUNCHER = `#!/bin/sh
folder=$(dirname "$(dirname "$(readlink -f "$0")")")
exec "$folder/bin/node" "$folder/out/cli.mjs" "$@"
`

/** Copies the built command line into a folder, with Node and what starts it: `bin/troupe`. */
export function copyCommandLine(folder) {
  const node = packagedNode()
  if (node === undefined)
    throw new CannotContinue(
      `There is no package of Node for ${process.platform} ${process.arch}.`,
      'npm ci --include=optional',
    )
  mkdirSync(join(folder, 'bin'), { recursive: true })
  for (const file of FILES)
    cpSync(join(root, file), join(folder, file), {
      recursive: true,
      filter: (path) => path !== join(root, 'docs', 'images'),
    })
  copyFileSync(node, join(folder, 'bin', 'node'))
  writeFileSync(join(folder, 'bin', 'troupe'), LAUNCHER)
  for (const name of ['node', 'troupe']) chmodSync(join(folder, 'bin', name), 0o755)
}

/** Writes the folder as a compressed tar archive to standard output. */
export async function writePackage() {
  if (process.stdout.isTTY)
    throw new CannotContinue(
      'The archive goes to standard output, which is a terminal.',
      'npm run --silent package > troupe.tgz',
    )
  const place = mkdtempSync(join(tmpdir(), 'troupe-package-'))
  try {
    copyCommandLine(join(place, 'troupe'))
    const owner = ['--owner=0', '--group=0', '--numeric-owner']
    return (await runProgram('tar', [...owner, '-C', place, '-czf', '-', 'troupe'])).code
  } finally {
    rmSync(place, { recursive: true })
  }
}
