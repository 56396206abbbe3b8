import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withLock } from './lock.mjs'
import { nodeModules, notes, root } from './paths.mjs'
import { npmCommand, runProgram } from './run-program.mjs'
import { CannotContinue, say } from './say.mjs'

const LIMIT = 600_000

const stamp = join(notes, 'installed')

/** The same lockfile in full: the second part of the stamp. */
const FULL = ' with tools'

/** What a window and the command line are built of and with: the dependencies. The tools of tests and checks are the others. */
export const installProgram = () => install(false)

/** Installs all packages. */
export const installPackages = () => install(true)

/** Installs node_modules from the lockfile, only if the lockfile has changed or tools are missing. */
async function install(withTools) {
  const lockfile = readFileSync(join(root, 'package-lock.json'))
  const hash = createHash('sha256').update(lockfile).digest('hex')
  const isDone = () => read(stamp) === hash + FULL || (!withTools && read(stamp) === hash)
  if (isDone()) return
  await withLock(join(root, '.cache', 'install.lock'), async () => {
    if (isDone()) return
    const { packages } = JSON.parse(lockfile.toString('utf8'))
    const installed = JSON.parse(read(join(nodeModules, '.package-lock.json')) ?? '{"packages":{}}').packages
    const isAll = isInstalled(packages, installed, true)
    const isProgram = isAll || isInstalled(packages, installed, false)
    if (!isProgram) await npm(['ci', ...(withTools ? [] : ['--omit=dev'])], 'Installing packages')
    // Unlike `npm ci`, this keeps what is there. The lockfile stays as it is.
    else if (withTools && !isAll) await npm(['install', '--no-save'], 'Installing the tools of tests')
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, withTools || isAll ? hash + FULL : hash)
  })
}

async function npm(what, about) {
  say(`${about} (npm ${what.join(' ')})`)
  const [file, first] = npmCommand()
  const args = [...first, ...what, '--no-audit', '--no-fund', '--loglevel=error']
  const { code } = await runProgram(file, args, { quiet: true, limit: LIMIT })
  if (code !== 0) {
    throw new CannotContinue(
      `npm ${what[0]} failed with exit code ${code}.`,
      'See the lines above; `npm ping` tells whether the registry answers.',
    )
  }
}

/**
 * Whether the packages of the lockfile are there, installed by the runner or by hand.
 *
 * @param {Record<string, { version?: string, dev?: boolean, optional?: boolean, link?: boolean }>} packages of the lockfile
 * @param {Record<string, { version?: string }>} installed
 * @param {boolean} withTools whether those for development count
 */
export function isInstalled(packages, installed, withTools) {
  return Object.entries(packages).every(([path, wanted]) => {
    // A folder of this repository is only linked.
    if (!path.startsWith('node_modules/') || wanted.link || (!withTools && wanted.dev)) return true
    const found = installed[path]
    return found === undefined ? wanted.optional === true : found.version === wanted.version
  })
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
