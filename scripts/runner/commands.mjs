import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from './build.mjs'
import { runStaticChecks } from './check.mjs'
import { provideTools, provideWindow } from './environment.mjs'
import { installPackages, installProgram } from './install.mjs'
import { withMemoryFolder } from './memory-folder.mjs'
import { opensWindow } from './opens-window.mjs'
import { provideOutsidePrograms } from './outside-programs.mjs'
import { nodeModules, root } from './paths.mjs'
import { canBuild } from './project-node.mjs'
import { runProgram } from './run-program.mjs'
import { CannotContinue, say } from './say.mjs'
import { isSlowMachine } from './slow-machine.mjs'
import { isRoot, provideChromium, provideTestPrograms } from './system-libraries.mjs'
import { resultLines, runChromium, runPlaywright, runVitest } from './test-part.mjs'

const MINUTE = 60_000

/** Time limit of all tests together, ms; the remainder limits each part. A calm machine takes half of it. */
const TEST_LIMIT = 44 * MINUTE

/** Each command takes the arguments after its name and returns its exit code. */
export const commands = {
  start,
  dev,
  test,
  check,
  bench,
  torture,
  conformance,
  soak,
  live,
  screenshots,
  troupe,
  with: runWith,
  build: buildAll,
  package: packageAll,
}

async function start(args) {
  await installForUse()
  // The window starts workers with the command line, and reads documents with its thread.
  const [window] = await Promise.all([
    provideWindow({ onlyToBuild: true }),
    build('window', toolsToBuild),
    build('cli', toolsToBuild),
  ])
  const isVirtual = window.virtualDisplay !== undefined
  const env = isVirtual ? announcePicture(window) : window.env
  const flags = [
    ...(isRoot ? ['--no-sandbox'] : []),
    // A machine without a display has no desktop bus either; Chromium would log an error per attempt.
    ...(isVirtual ? ['--log-level=3'] : []),
  ]
  return (await runProgram(window.electron, ['.', ...flags, ...args], { env })).code
}

/** The packages of the program alone, where the running Node can build it: they are half of all. */
const installForUse = () => (canBuild() ? installProgram() : installPackages())

const toolsToBuild = () => provideTools({ onlyToBuild: true })

function announcePicture({ env, virtualDisplay }) {
  const file = process.env.TROUPE_PICTURE_FILE ?? join(tmpdir(), 'troupe-window.png')
  say(
    `No display: the window is drawn on the virtual screen ${virtualDisplay}; a fresh picture of it is kept in ${file}. Without a window: npm run troupe -- run "TASK"`,
  )
  return { ...env, TROUPE_PICTURE_FILE: file }
}

async function dev(args) {
  await installPackages()
  const { node, env, virtualDisplay } = await provideWindow()
  if (virtualDisplay !== undefined)
    say(`No display: the window is drawn on the virtual screen ${virtualDisplay}`)
  const electronVite = join(nodeModules, 'electron-vite', 'bin', 'electron-vite.js')
  return (await runProgram(node, [electronVite, 'dev', '--watch', ...args], { env })).code
}

/** `--changed`: lints the files that differ from the last commit, and runs the tests that depend on them. */
async function check(args) {
  const unknown = args.find((arg) => arg !== '--changed')
  if (unknown !== undefined)
    throw new CannotContinue(`"npm run check" has no option ${unknown}. It has --changed.`)
  await installPackages()
  const onlyChanged = args.includes('--changed')
  const tools = provideTools()
  const fixed = await runStaticChecks(tools, { onlyChanged })
  const unit = await runVitest(tools, ['unit', 'window'], 5 * MINUTE, { onlyChanged })
  return report([fixed, unit])
}

async function test() {
  const deadline = Date.now() + TEST_LIMIT
  const totals = []
  const part = async (name, limit, work, laterParts = 0) => {
    say(`\n── ${name}`)
    const left = deadline - Date.now() - laterParts
    if (left <= 0) {
      say('✗ Not run: no time left.')
      totals.push({ passed: 0, failed: 1 })
      return undefined
    }
    try {
      const result = await work(Math.min(limit, left))
      if (result !== undefined) totals.push(result)
      return true
    } catch (error) {
      say(`✗ ${error instanceof CannotContinue ? error.message : error.stack}`)
      totals.push({ passed: 0, failed: 1 })
      return false
    }
  }
  if (!(await part('packages', 5 * MINUTE, installPackages))) return report(totals)
  const tools = provideTools()
  const isQuick = isSlowMachine(tools.node)
  if (isQuick) say('✗ This machine is slow: tests that try many cases try some of them (decision 175).')
  // They install while the next parts run.
  const programs = provideTestPrograms()
  const outside = provideOutsidePrograms(tools)
  const chromium = programs.then(provideChromium).catch(() => undefined)
  // The type checks leave a core free. Afterwards, since only one program can install packages of the system at a time.
  const building = chromium.then(buildForTests)
  building.catch(() => undefined)
  await part('check', 6 * MINUTE, () => runStaticChecks(tools))
  await part('unit tests', 14 * MINUTE, (limit) => runVitest(tools, ['unit', 'window'], limit, { isQuick }))
  let window
  const built = await part('build', 5 * MINUTE, async () => {
    window = await building
  })
  await Promise.all([programs, outside])
  await part(
    'integration tests',
    17 * MINUTE,
    (limit) =>
      withMemoryFolder(built ? withBuiltProgram(window) : tools, (its) =>
        runVitest(its, ['integration'], limit, { isQuick }),
      ),
    // They can leave tests out, so that those of the window have their time.
    18 * MINUTE,
  )
  await part('tests in Chromium', 7 * MINUTE, async (limit) => {
    const executable = await chromium
    if (executable === undefined)
      say('Skipped: Debian\'s package "chromium" is not installed. As root this runner installs it.')
    else await build('harness', provideTools)
    return runChromium(tools, executable, limit, isQuick)
  })
  if (built) {
    await part('tests in the real window', 16 * MINUTE, async (limit) => {
      const result = await runPlaywright(window, 'e2e', limit)
      return result.passed + result.failed === 0 ? { passed: 0, failed: 1 } : result
    })
  }
  return report(totals)
}

/** Builds the window and the command line. @returns what a window needs */
async function buildForTests() {
  const window = await provideWindow()
  await build('window', provideTools)
  await build('cli', provideTools)
  return window
}

/** Tests that start the command line use the bundle, which starts five times as fast as the sources. */
const withBuiltProgram = (tools) => ({
  ...tools,
  env: { ...tools.env, TROUPE_TEST_PROGRAM: join(root, 'out', 'cli.mjs') },
})

async function bench(args) {
  await installPackages()
  const window = await provideWindow()
  // Benchmarks use the programs that tests use.
  await provideTestPrograms()
  await build('window', provideTools)
  await build('cli', provideTools)
  return (await runProgram(window.node, [join(root, 'bench', 'run.ts'), ...args], { env: window.env })).code
}

/** Holds the MCP client against the public conformance suite; scripts/conformance.ts documents the parts. */
async function conformance(args) {
  return runTyped('conformance.ts', args)
}

/** Kills the built command line repeatedly; scripts/torture.ts documents its options. */
async function torture(args) {
  return runTyped('torture.ts', args)
}

/** Runs the runtime for minutes or hours and measures growth. */
async function soak(args) {
  return runTyped('soak/run.ts', args)
}

/** Checks the program against the real API; scripts/live.ts documents its options. */
async function live(args) {
  return runTyped('live.ts', args)
}

async function runTyped(script, args) {
  await installPackages()
  const { node, env } = provideTools()
  await build('cli', provideTools)
  return (await runProgram(node, [join(root, 'scripts', script), ...args], { env })).code
}

async function screenshots(args) {
  await installPackages()
  const window = await provideWindow()
  await build('window', provideTools)
  const playwright = join(nodeModules, '@playwright', 'test', 'cli.js')
  const { node, env } = window
  const all = [playwright, 'test', '--project', 'screenshots', ...args]
  const { code } = await runProgram(node, all, { env, limit: 10 * MINUTE })
  const executable = await provideChromium()
  if (code !== 0 || executable === undefined) return code
  const shoot = [join(root, 'e2e', 'harness', 'shoot.ts'), '--docs', '--chromium', executable]
  return (await runProgram(node, shoot, { env, limit: 10 * MINUTE })).code
}

/** The command line, in the user's folder; a folder or nothing instead of a command opens the window. */
async function troupe(args) {
  const cwd =
    process.env.npm_lifecycle_event === 'troupe' ? (process.env.INIT_CWD ?? process.cwd()) : process.cwd()
  if (args.length < 2 && opensWindow(args, cwd)) return start([resolve(cwd, args[0] ?? '.')])
  // The command line checks the window's options, and needs a path to know a folder from a command.
  if (opensWindow(args, cwd)) return cli([resolve(cwd, args[0]), ...args.slice(1)], cwd)
  return cli(args, cwd)
}

async function cli(args, cwd) {
  await installForUse()
  await build('cli', toolsToBuild)
  const { node, env } = toolsToBuild()
  const options = { cwd, env: { ...env, NO_COLOR: process.env.NO_COLOR } }
  return (await runProgram(node, [join(root, 'out', 'cli.mjs'), ...args], options)).code
}

/** Any program with the project's Node, Electron and display: `npm run with -- vitest run src/shared`. */
async function runWith([program, ...args]) {
  if (program === undefined)
    throw new CannotContinue('No program to run.', 'npm run with -- PROGRAM [ARGUMENT…]')
  await installPackages()
  const { env } = await provideWindow()
  return (await runProgram(program, args, { env, cwd: process.cwd() })).code
}

async function buildAll() {
  await installForUse()
  await build('window', toolsToBuild)
  await build('cli', toolsToBuild)
  return 0
}

/** Writes what users install; scripts/package/run.ts documents the kinds. */
async function packageAll(args) {
  await installPackages()
  const isDesktop = args.some((arg) => !['npm', 'portable'].includes(arg)) || args.length === 0
  const { node, env } = isDesktop ? await provideWindow() : provideTools()
  if (isDesktop) await build('window', provideTools)
  await build('cli', provideTools)
  return (await runProgram(node, [join(root, 'scripts', 'package', 'run.ts'), ...args], { env })).code
}

/** Prints the last lines of all test runs. */
function report(totals) {
  process.stdout.write(`${resultLines(totals).join('\n')}\n`)
  return totals.some(({ failed }) => failed > 0) ? 1 : 0
}
