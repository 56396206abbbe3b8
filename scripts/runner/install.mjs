import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withLock } from './lock.mjs'
import { nodeModules, notes, root } from './paths.mjs'
import { npmCommand, runProgram } from './run-program.mjs'
import { CannotContinue, say } from './say.mjs'

const LIMIT = 600_000

const stamp = join(notes, 'installed')

/** Installs node_modules from the lockfile with `npm ci`, only if the lockfile has changed. */
export async function installPackages() {
  const lockfile = readFileSync(join(root, 'package-lock.json'))
  const hash = createHash('sha256').update(lockfile).digest('hex')
  if (read(stamp) === hash) return
  await withLock(join(root, '.cache', 'install.lock'), async () => {
    if (read(stamp) === hash) return
    if (!isInstalled(JSON.parse(lockfile.toString('utf8')))) await cleanInstall()
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, hash)
  })
}

async function cleanInstall() {
  say('Installing packages (npm ci)')
  const [npm, first] = npmCommand()
  const args = [...first, 'ci', '--no-audit', '--no-fund', '--loglevel=error']
  const { code } = await runProgram(npm, args, { quiet: true, limit: LIMIT })
  if (code !== 0) {
    throw new CannotContinue(
      `npm ci failed with exit code ${code}.`,
      'See the lines above; `npm ping` tells whether the registry answers.',
    )
  }
}

/** Whether a manual `npm install` or `npm ci` already installed the lockfile. */
function isInstalled(lockfile) {
  const there = read(join(nodeModules, '.package-lock.json'))
  if (there === undefined) return false
  const installed = JSON.parse(there).packages
  return Object.entries(lockfile.packages).every(([path, wanted]) => {
    if (path === '') return true
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
