import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeModules } from './paths.mjs'
import { runProgram } from './run-program.mjs'
import { say } from './say.mjs'
import { startVirtualDisplay } from './virtual-display.mjs'

const COMPILED = join(nodeModules, '.cache', 'troupe', 'compiled')

/**
 * Runs vitest projects.
 *
 * @param {{ node: string, env: NodeJS.ProcessEnv }} tools
 * @param {readonly string[]} projects
 * @param {number} limit milliseconds
 * @param {{ onlyChanged?: boolean, isQuick?: boolean }} [options] onlyChanged: the tests that depend on files that differ
 *   from the last commit, all of them; otherwise integration tests that don't fit into the limit are left out, see
 *   `src/shared/testing/time-left.ts`; isQuick: tests that try many cases try some of them
 */
export function runVitest(tools, projects, limit, { onlyChanged = false, isQuick = onlyChanged } = {}) {
  return runPart(tools, limit, (report) => ({
    args: [
      join(nodeModules, 'vitest', 'vitest.mjs'),
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      ...(onlyChanged ? ['--changed'] : []),
      '--retry=1',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    // What the tests start is compiled once. The programs of this project keep their own cache.
    env: {
      NODE_COMPILE_CACHE: COMPILED,
      ...(isQuick && { TROUPE_QUICK_TESTS: '1' }),
      ...(!onlyChanged && { TROUPE_TEST_TIMES: timesOf(limit) }),
    },
    count: countVitest,
  }))
}

/** When a part begins and has to be over, for its tests. @param limit milliseconds */
const timesOf = (limit) => `${Date.now()} ${Date.now() + limit}`

/** Concurrent windows. The tests mostly wait for timers. */
const WINDOWS = 2

/**
 * Runs a Playwright project in the real window. Each window has a virtual screen of its own, and so the focus. On a machine
 * that is too slow for the limit, tests are left out: see `src/shared/testing/time-left.ts`.
 */
export async function runPlaywright(tools, project, limit) {
  const more = tools.virtualDisplay === undefined ? 0 : WINDOWS - 1
  const others = await Promise.all(Array.from({ length: more }, startVirtualDisplay))
  const displays = [tools.env.DISPLAY, ...others.map(({ display }) => display)].join(' ')
  const env = { TROUPE_TEST_DISPLAYS: displays, TROUPE_TEST_TIMES: timesOf(limit) }
  return runPart(tools, limit, playwright(['--project', project], env))
}

/**
 * Runs the tests of the window in the system's Chromium, which needs no display. Without one each is skipped.
 *
 * @param {string | undefined} executable
 * @param {boolean} isQuick whether each view is examined with one of its menus
 */
export function runChromium(tools, executable, limit, isQuick) {
  const args = ['--project', 'chromium', '--workers', String(WINDOWS)]
  const env = { TROUPE_CHROMIUM: executable ?? '', ...(isQuick && { TROUPE_QUICK_TESTS: '1' }) }
  return runPart(tools, limit, playwright(args, env))
}

const playwright = (args, env) => (report) => ({
  args: [join(nodeModules, '@playwright', 'test', 'cli.js'), 'test', ...args, '--reporter=list,json'],
  // Playwright sets FORCE_COLOR for its workers, and Node warns if NO_COLOR is set too.
  env: { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report, NO_COLOR: undefined },
  count: countPlaywright,
})

/**
 * The totals of a report of vitest. Tests that this machine can't run, or has no time for, are skipped. One that passed
 * only when repeated still has what failed first.
 */
export function countVitest({ numTotalTests, numPassedTests, numFailedTests, testResults }) {
  const repeated = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
  for (const { fullName, failureMessages } of repeated) say(`${fullName}\n${failureMessages[0]}`)
  const skipped = numTotalTests - numPassedTests - numFailedTests
  return withRepeated({ passed: numPassedTests, failed: numFailedTests, skipped }, repeated.length)
}

/** The totals of a report of Playwright. A skipped test is neither passed nor failed. */
export function countPlaywright({ stats: { expected, flaky, unexpected, skipped } }) {
  return withRepeated({ passed: expected + flaky, failed: unexpected, skipped }, flaky)
}

/** So many tests of a part may pass only when repeated: a busy machine delays any of thousands. */
const MOST_REPEATED = 5

/** The totals of a part of which so many tests passed only when repeated: it is said, and more than a few have failed. */
function withRepeated({ passed, failed, skipped }, repeated) {
  if (repeated === 0) return { passed, failed, skipped }
  const isFailed = repeated > MOST_REPEATED
  const result = isFailed ? '. They count as failed' : ''
  say(`✗ Tests that passed only when repeated (see above): ${repeated}${result}.`)
  return isFailed
    ? { passed: passed - repeated, failed: failed + repeated, skipped }
    : { passed, failed, skipped }
}

/** The lines at the end of a test run; the last one is the result. */
export function resultLines(totals) {
  const sum = (key) => totals.reduce((all, part) => all + (part[key] ?? 0), 0)
  const result = `${sum('passed')} passed, ${sum('failed')} failed`
  return sum('skipped') === 0 ? [result] : [`${sum('skipped')} skipped (see above)`, result]
}

async function runPart(tools, limit, plan) {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-test-'))
  try {
    const report = join(folder, 'report.json')
    const { args, env, count } = plan(report)
    const result = await runProgram(tools.node, args, { env: { ...tools.env, ...env }, limit, quiet: true })
    if (result.timedOut) say(`✗ It took longer than ${Math.round(limit / 1000)} s and was ended.`)
    return countFrom(report, count, result.code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The totals of a part from its report. A part that failed outside its tests has failed, regardless of its report, and
 * says so: no test above is marked as failed then.
 *
 * @param {string} report the path of the report; a missing or unreadable one is a failure
 * @param {(report: any) => { passed: number, failed: number, skipped?: number }} count
 * @param {number} code the exit code of the program that ran the tests
 */
export function countFrom(report, count, code) {
  let totals
  try {
    totals = count(JSON.parse(readFileSync(report, 'utf8')))
  } catch {
    say(`✗ No report of the tests: their program ended with exit code ${code} before it wrote one.`)
    return { passed: 0, failed: 1 }
  }
  if (code === 0 || totals.failed > 0) return totals
  say(
    `✗ No test failed, but their program ended with exit code ${code}: a file could not be loaded, or an error came from outside of the tests (see above).`,
  )
  return { ...totals, failed: 1 }
}
