import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runProgram } from './run-program.mjs'
import { CannotContinue, say } from './say.mjs'

const LIBRARIES = [
  'libgtk-3-0',
  'libnss3',
  'libatk1.0-0',
  'libatk-bridge2.0-0',
  'libcups2',
  'libgbm1',
  'libasound2',
  'libxss1',
  'libdrm2',
  'libxtst6',
  'fonts-dejavu-core',
]

/** True when there is no screen to draw on. */
export function needsVirtualDisplay(env = process.env) {
  return process.platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY
}

export const isRoot = process.getuid?.() === 0

/** On Linux: installs the missing libraries of `executable`, and Xvfb if there is no display. */
export async function provideSystemLibraries(executable) {
  if (process.platform !== 'linux') return
  const missing = await findMissing(executable)
  if (missing.length === 0) return
  const packages = missing.includes('Xvfb') ? [...LIBRARIES, 'xvfb'] : LIBRARIES
  const names = missing.join(', ')
  const command = `apt-get install -y --no-install-recommends ${packages.join(' ')}`
  if (!isOnPath('apt-get')) {
    throw new CannotContinue(`Missing for the window: ${names}.`, "Install them with your system's packages.")
  }
  if (!isRoot) throw new CannotContinue(`Missing for the window: ${names}.`, `sudo ${command}`)
  say(`Installing what the window needs (${names})`)
  if ((await aptGet(['install', '-y', '--no-install-recommends', ...packages])).code === 0) return
  await aptGet(['update'])
  const result = await aptGet(['install', '-y', '--no-install-recommends', ...packages])
  if (result.code !== 0) {
    throw new CannotContinue(
      `apt-get could not install what the window needs (${names}):\n${result.output.trim()}`,
      command,
    )
  }
}

/**
 * The system's Chromium, installed from Debian's package if the runner is root. Undefined where it can't be had: users
 * don't need it.
 *
 * @returns {Promise<string | undefined>} the executable
 */
export function provideChromium() {
  return provideProgram('chromium', 'in which the window is tested, too')
}

/** Programs that tests use, each with what it is for, and its package if that has another name. */
const TEST_PROGRAMS = [
  ['git', 'on whose repositories agents work'],
  ['openssl', 'which makes certificates for servers'],
  ['tmux', 'in whose panes workers are tested'],
  ['nats-server', 'through which workers on other machines are tested'],
  ['bwrap', "in whose sandbox agents' commands run", 'bubblewrap'],
  ['socat', 'through which commands in the sandbox reach hosts'],
]

/**
 * What tests use, installed like Chromium. What can't be had is said, and its tests are skipped.
 *
 * @returns {Promise<void>}
 */
export async function provideTestPrograms() {
  for (const [name, why, packageName] of TEST_PROGRAMS)
    if (
      !isOnPath(name) &&
      (await provideProgram(name, why, packageName).catch(() => undefined)) === undefined
    )
      say(`Skipped: the tests that need ${name}, ${why}. As root on Debian this runner installs it.`)
}

/**
 * A program of Debian, installed if the runner is root.
 *
 * @param {string} name
 * @param {string} why completes "Installing the package …,"
 * @param {string} [packageName] default: the same
 * @returns {Promise<string | undefined>} the executable; undefined: it can't be had
 */
export async function provideProgram(name, why, packageName = name) {
  if (process.platform !== 'linux') return undefined
  const found = findOnPath(name)
  if (found !== undefined || !isRoot || !isOnPath('apt-get')) return found
  say(`Installing the package ${packageName}, ${why}`)
  const args = ['install', '-y', '--no-install-recommends', packageName]
  if ((await aptGet(args)).code !== 0) {
    await aptGet(['update'])
    await aptGet(args)
  }
  return findOnPath(name)
}

async function findMissing(executable) {
  const { output } = await runProgram('ldd', [executable], { capture: true })
  const missing = [...output.matchAll(/(\S+) => not found/g)].map((match) => match[1])
  if (needsVirtualDisplay() && !isOnPath('Xvfb')) missing.push('Xvfb')
  return [...new Set(missing)]
}

function aptGet(args) {
  return runProgram('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    capture: true,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

const isOnPath = (name) => findOnPath(name) !== undefined

function findOnPath(name) {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return existsSync(file)
    } catch {
      return false
    }
  })
}
