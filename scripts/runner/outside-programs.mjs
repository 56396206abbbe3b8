import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { root, userCache } from './paths.mjs'
import { npmCommand, runProgram } from './run-program.mjs'
import { say } from './say.mjs'

/** External agents that tests start, each with what its download takes. */
const PROGRAMS = [
  ['claude', 'Claude Code (340 MB)'],
  ['opencode', 'opencode (177 MB)'],
]

const LIMIT = 600_000

/**
 * Installs the external agents that integration tests start, each from its own lockfile and once, into the
 * user's cache. What can't be fetched is said, and its tests are skipped; with CI=true they fail.
 *
 * @param {{ node: string, env: NodeJS.ProcessEnv }} tools
 */
export async function provideOutsidePrograms(tools) {
  for (const [name, what] of PROGRAMS)
    if (!(await install(name, what, tools).catch(() => false)))
      say(`Skipped: the tests with the real ${what.replace(/ \(.*/, '')}. It could not be fetched with npm.`)
}

/** The folder into which a program is installed. `real-programs.ts` finds it by the same name. */
const folderOf = (name) => join(userCache, 'outside-programs', `${name}-${lockHash(sourceOf(name))}`)

/** A short hash of the lockfile in a folder. */
export function lockHash(source) {
  const lockfile = readFileSync(join(source, 'package-lock.json'))
  return createHash('sha256').update(lockfile).digest('hex').slice(0, 16)
}

const sourceOf = (name) => join(root, 'test', 'outside-programs', name)

const install = (name, what, tools) =>
  installLocked(sourceOf(name), folderOf(name), tools, `Fetching ${what}, with which tests work, once`)

/**
 * Installs packages from a lockfile of their own into a folder of the user's cache, once.
 *
 * @param {string} source the folder with package.json and package-lock.json
 * @param {string} folder where they are installed
 * @param {{ node: string, env: NodeJS.ProcessEnv }} tools
 * @param {string} announcement
 * @returns {Promise<boolean>} whether they are there
 */
export async function installLocked(source, folder, tools, announcement) {
  if (existsSync(folder)) return true
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(folder)) return true
    say(announcement)
    const work = `${folder}.part`
    rmSync(work, { recursive: true, force: true })
    mkdirSync(work, { recursive: true })
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(join(source, file), join(work, file))
    try {
      if ((await clean(work, tools)).code !== 0) return false
      renameSync(work, folder)
      return true
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  })
}

/** With the project's Node: an older one is given an older version of the program without a word. */
function clean(folder, { node, env }) {
  const [file, first] = npmCommand(node)
  const args = [
    'ci',
    '--prefix',
    folder,
    '--ignore-scripts',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=2000',
    '--omit=peer',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  return runProgram(file, [...first, ...args], { cwd: folder, env, capture: true, limit: LIMIT })
}
