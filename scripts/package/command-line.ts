/** The command line as a package of npm, and as a folder with a Node of its own for machines without one. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeModules, root } from '../runner/paths.mjs'
import { packagedNode } from '../runner/project-node.mjs'
import { npmCommand, runProgram } from '../runner/run-program.mjs'
import { CannotContinue } from '../runner/say.mjs'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly author: string
  readonly type: string
  readonly engines: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
}

/** What the built command line reads by path, in a checkout. */
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
  ...['agents', 'docs', 'LICENSE'],
]

/** The packages that the command line does not bundle, because they bring executables. */
const RIPGREP = '@vscode/ripgrep'

const LAUNCHER = `#!/bin/sh
folder=$(dirname "$(dirname "$(readlink -f "$0")")")
exec "$folder/bin/node" "$folder/out/cli.mjs" "$@"
`

/** The parts of the checkout's package.json that everything which is packed has. */
export function readManifest(): Manifest {
  const { name, version, description, license, author, type, engines, bin, dependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Manifest
  return { name, version, description, license, author, type, engines, bin, dependencies }
}

/** Copies the built command line into a folder, without the packages that it needs. */
export function copyProgram(folder: string): void {
  for (const file of FILES)
    cpSync(join(root, file), join(folder, file), {
      recursive: true,
      filter: (path) => path !== join(root, 'docs', 'images'),
    })
  const { dependencies, ...manifest } = readManifest()
  const needed = { [RIPGREP]: dependencies[RIPGREP] }
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...manifest, dependencies: needed }, null, 2)}\n`,
  )
}

/** Copies the packages that the command line needs: those of this system and processor. */
export function copyPackages(folder: string): void {
  for (const name of [RIPGREP, `${RIPGREP}-${process.platform}-${process.arch}`])
    cpSync(join(nodeModules, name), join(folder, 'node_modules', name), { recursive: true })
}

/** Writes the package of npm, for Node ≥ 20.18 on every system. @returns its path */
export async function packForNpm(folder: string): Promise<string> {
  return inTemporaryFolder(async (place) => {
    copyProgram(place)
    copyFileSync(join(root, 'README.md'), join(place, 'README.md'))
    mkdirSync(folder, { recursive: true })
    const [npm, first] = npmCommand()
    const args = [
      ...first,
      'pack',
      place,
      '--pack-destination',
      folder,
      '--ignore-scripts',
      '--loglevel=error',
    ]
    const { code, output } = await runProgram(npm, args, { cwd: place, capture: true })
    if (code !== 0) throw new CannotContinue(`npm pack failed with exit code ${code}:\n${output.trim()}`)
    const { name, version } = readManifest()
    return join(folder, `${name}-${version}.tgz`)
  })
}

/** Copies the command line into a folder, with Node and what starts it: `bin/troupe`. */
export function copyPortable(folder: string): void {
  const node = packagedNode()
  if (node === undefined)
    throw new CannotContinue(
      `There is no package of Node for ${process.platform} ${process.arch}.`,
      'npm ci --include=optional',
    )
  copyProgram(folder)
  copyPackages(folder)
  mkdirSync(join(folder, 'bin'))
  copyFileSync(node, join(folder, 'bin', 'node'))
  writeFileSync(join(folder, 'bin', 'troupe'), LAUNCHER)
  for (const name of ['node', 'troupe']) chmodSync(join(folder, 'bin', name), 0o755)
}

/** Writes the folder of `copyPortable` as a compressed tar archive to standard output. @returns the exit code */
export async function writePortable(): Promise<number> {
  if (process.stdout.isTTY)
    throw new CannotContinue(
      'The archive goes to standard output, which is a terminal.',
      'npm run --silent package -- portable > troupe.tgz',
    )
  return inTemporaryFolder(async (place) => {
    copyPortable(join(place, 'troupe'))
    const owner = ['--owner=0', '--group=0', '--numeric-owner']
    return (await runProgram('tar', [...owner, '-C', place, '-czf', '-', 'troupe'])).code
  })
}

export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-package-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
