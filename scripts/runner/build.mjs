import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withLock } from './lock.mjs'
import { nodeModules, root } from './paths.mjs'
import { runProgram } from './run-program.mjs'
import { CannotContinue, say } from './say.mjs'

/** Tests and their fixtures are not part of a build. */
const TEST_FILE = /\.test\.tsx?$|^testing$/

const BUILDS = {
  window: {
    name: 'the window',
    result: ['out/main/start.cjs', 'out/main/index.cjs', 'out/preload/index.cjs', 'out/renderer/index.html'],
    args: [join(nodeModules, 'electron-vite', 'bin', 'electron-vite.js'), 'build', '--logLevel', 'warn'],
  },
  cli: {
    name: 'the command line',
    result: [
      'out/cli.mjs',
      'out/cli-main.cjs',
      'out/documents.cjs',
      'out/search.cjs',
      'out/sandbox.mjs',
      'out/shared-page.html',
    ],
    args: [
      join(nodeModules, 'vite', 'bin', 'vite.js'),
      'build',
      '--config',
      'vite.cli.config.ts',
      '--logLevel',
      'warn',
    ],
  },
  harness: {
    name: 'the window for Chromium',
    result: ['out/harness/e2e/harness/index.html'],
    /** The harness uses fixtures of tests. */
    withTests: true,
    args: [
      join(nodeModules, 'vite', 'bin', 'vite.js'),
      'build',
      '--config',
      'e2e/harness/vite.config.ts',
      '--logLevel',
      'warn',
    ],
  },
}

/**
 * Builds outputs that are missing or older than the sources.
 *
 * @param {'window' | 'cli' | 'harness'} which
 * @param {() => { node: string, env: NodeJS.ProcessEnv }} provideTools called only if a build is needed
 */
export async function build(which, provideTools) {
  const { name, result, args, withTests = false } = BUILDS[which]
  const fingerprint = () => fingerprintSources(withTests)
  const stamp = join(root, 'out', `.built-${which}`)
  const isFresh = () =>
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === fingerprint() &&
    result.every((file) => existsSync(join(root, file)))
  if (isFresh()) return
  await withLock(join(root, '.cache', `build-${which}.lock`), async () => {
    if (isFresh()) return
    const { node, env } = provideTools()
    const sources = fingerprint()
    say(`Building ${name}`)
    rmSync(stamp, { force: true })
    const { code, output } = await runProgram(node, args, {
      env: { ...env, NODE_ENV: 'production' },
      capture: true,
      limit: 300_000,
    })
    if (code !== 0) throw new CannotContinue(`Building ${name} failed:\n${output.trim()}`)
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, sources)
  })
}

/** A hash of path, size and time of every input of a build. Contents are not read, for speed. */
function fingerprintSources(withTests) {
  const hash = createHash('sha256')
  const isInput = (name) => withTests || !TEST_FILE.test(name)
  const entries = [
    'src',
    'agents',
    'scripts/start-script.ts',
    'scripts/shared-page.ts',
    'package.json',
    'package-lock.json',
    ...(withTests ? ['e2e/harness'] : []),
  ]
  for (const entry of entries) addToHash(entry, hash, isInput)
  for (const name of readdirSync(root).sort()) {
    if (/^(electron\.)?vite\..*config\.ts$|^electron\.vite\.config\.ts$|^tsconfig.*\.json$/.test(name))
      addToHash(name, hash, isInput)
  }
  return hash.digest('hex')
}

function addToHash(path, hash, isInput) {
  const file = join(root, path)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isDirectory()) {
    hash.update(`${path}\0${found.size}\0${found.mtimeMs}\n`)
    return
  }
  for (const name of readdirSync(file).sort()) {
    if (isInput(name)) addToHash(`${path}/${name}`, hash, isInput)
  }
}
