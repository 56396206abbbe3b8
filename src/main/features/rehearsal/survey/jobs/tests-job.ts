/** Finds and runs the test command: the only job that needs permission. */
import { isTest } from '../folder-files.ts'
import { type Answer, NO_ANSWER } from '../read-conversation.ts'
import { clip, code, counted, joined } from '../report.ts'
import { ask, type Script } from '../script.ts'
import type { JobContext, SurveyJob } from '../survey-job.ts'
import { type CommandAnswer, commandAnswer, foundPaths, readLines, reasonOf } from '../tool-answers.ts'
import {
  installedFiles,
  offlineForm,
  READ_FOR_TESTS,
  TEST_FILES,
  type TestCommand,
  testCommand,
  whyNoTests,
} from './test-command.ts'
import { firstFailureLine, placesIn, testCounts } from './test-outcome.ts'

export const testsJob: SurveyJob = {
  title: 'the tests',
  description: 'Test command and result',
  question:
    'Which command runs the tests here, and what is their result? Find the command in the project’s own files, run it once (the user is asked first and may decline), and report how many tests passed and failed and where the first failure is. Fix nothing.',
  agents: ['general-purpose'],
  needs: ['Glob', 'Read', 'Bash'],
  run,
}

/** Time limit of a test run, ms: the survey shows what a run looks like, and nobody waits long for it. */
const LONGEST_RUN_MS = 60_000

function* run({ tools, folder, findings }: JobContext): Script<void> {
  const [known = NO_ANSWER, tests = NO_ANSWER] = yield* ask(
    {
      thinking:
        'A project names its test command in its own files. First I list those files and the test files.',
      say: 'Looking for the files in which projects name their test command.',
      calls: [
        { tool: 'Glob', input: { pattern: '*' } },
        { tool: 'Glob', input: { pattern: '**/{*test*,*spec*,test/**,tests/**,spec/**}' } },
      ],
    },
    tools,
  )
  if (!known.ok) findings.gap(`The files at the top of the folder: ${reasonOf(known)}`)
  // If the top folder has no such file, Glob lists deeper ones, which say nothing about this folder.
  const present = new Set(foundPaths(known).items.filter((path) => TEST_FILES.includes(path)))
  const toRead = TEST_FILES.filter((name) => present.has(name) && READ_FOR_TESTS.has(name))
  const contents = yield* ask(
    {
      thinking: `Of the files that may say it there ${present.size === 1 ? 'is' : 'are'} ${present.size === 0 ? 'none' : joined([...present])}.`,
      say: toRead.length === 0 ? undefined : `Reading ${joined(toRead.map(code))}.`,
      calls: toRead.map((path) => ({ tool: 'Read', input: { file_path: path, limit: 400 } })),
    },
    tools,
  )
  const texts = new Map(toRead.map((path, index) => [path, readLines(contents[index] ?? NO_ANSWER)]))
  const testFiles = foundPaths(tests)
  const ownTests = testFiles.items.filter(isTest)
  const command = testCommand(present, texts)
  if (command === null) {
    findings.lead(whyNoTests(present, texts))
    reportTestFiles(ownTests, testFiles.more, findings)
    return
  }

  const notRun = (because: string) => {
    findings.lead(`The test command is ${code(command.command)}. It was not run: ${because}`)
    nameCommand(command, findings)
    reportTestFiles(ownTests, testFiles.more, findings)
  }
  const offline = offlineForm(command, texts)
  if ('because' in offline) return notRun(offline.because)
  const needed = installedFiles(command, texts)
  if (needed.length > 0) {
    const installed = yield* ask(
      {
        thinking: 'The tests need packages, and I install none. I look whether they are installed.',
        say: 'Looking for installed packages.',
        calls: needed.map((path) => ({ tool: 'Read', input: { file_path: path, limit: 1 } })),
      },
      tools,
    )
    if (!installed.some(({ ok }) => ok))
      return notRun('the project’s packages are not installed, and Rehearsal installs none.')
  }

  const [result = NO_ANSWER] = yield* ask(
    {
      thinking: `${command.location ? `${command.location.path}:${command.location.line}` : command.by} names it: ${command.command}. Running it may take a while and needs the user's permission.`,
      say: `${code(command.location ? `${command.location.path}:${command.location.line}` : command.by)} names it: ${code(command.command)}. I would like to run it now${offline.run === command.command ? '' : `, in a form that fetches nothing (${code(offline.run)})`}; it runs only if you allow it.`,
      calls: [
        {
          tool: 'Bash',
          input: { command: offline.run, timeout: LONGEST_RUN_MS, description: 'Run the tests' },
        },
      ],
    },
    tools,
  )
  const ran = commandAnswer(result)
  const locations = ran.ran && ran.exitCode !== 0 ? placesIn(ran.output, folder).slice(0, 4) : []
  const opened = yield* ask(
    {
      thinking: 'The output names locations. I open them to confirm that they exist.',
      say: `The run failed; opening ${joined(locations.map(({ path, line }) => code(`${path}:${line}`)))}.`,
      calls: locations.map(({ path, line }) => ({
        tool: 'Read',
        input: { file_path: path, offset: Math.max(1, line - 3), limit: 7 },
      })),
    },
    tools,
  )

  findings.lead(leadFor(command, ran, result))
  nameCommand(command, findings)
  const shown = locations.flatMap((location, index) => {
    const text = readLines(opened[index] ?? NO_ANSWER).get(location.line)
    return text === undefined ? [] : [{ ...location, text }]
  })
  for (const [index, location] of shown.entries())
    findings.fact({
      ...location,
      note: index === 0 ? 'is the first location that the failed run names' : 'is also named by it',
    })
  const failure = ran.ran && ran.exitCode !== 0 ? firstFailureLine(ran.output) : null
  if (failure !== null) findings.remark(`It says: ${code(clip(failure, 200))}`)
  if (ran.ran && ran.exitCode !== 0 && shown.length === 0)
    findings.gap('Location of the first failure: the output names no line in this folder.')
  reportTestFiles(ownTests, testFiles.more, findings)
}

function nameCommand({ command, location, by }: TestCommand, findings: JobContext['findings']): void {
  if (location) findings.fact({ ...location, note: `names the test command: ${command}` })
  else findings.fact({ path: by, line: null, note: `is there, so the command is ${code(command)}` })
}

function leadFor({ command }: TestCommand, ran: CommandAnswer, answer: Answer): string {
  const shown = code(command)
  if (!ran.ran) return `The test command is ${shown}. It was not run: ${reasonOf(answer)}`
  if (ran.timedOut) return `${shown} was stopped after ${LONGEST_RUN_MS / 1000} seconds, before it finished.`
  if (ran.exitCode === null) return `${shown} was stopped before it finished.`
  if (ran.exitCode === 127) return `${shown} could not run: a required program is not installed.`
  const counts = testCounts(ran.output)
  const passed = counts?.passed == null ? '' : `${counts.passed} passed`
  const failed = counts?.failed == null ? '' : `${counts.failed} failed`
  const figures = [passed, failed].filter((part) => part !== '').join(', ')
  if (ran.exitCode === 0)
    return `${shown} passed${figures === '' ? '; its output has no figures that I recognize' : `: ${figures}`}.`
  return `${shown} failed with exit code ${ran.exitCode}${figures === '' ? '; its output has no figures that I recognize' : `: ${figures}`}.`
}

function reportTestFiles(paths: readonly string[], more: boolean, findings: JobContext['findings']): void {
  if (paths.length === 0) {
    findings.remark('No file name looks like a test.')
    return
  }
  const shown = [...paths].sort().slice(0, 4)
  findings.remark(
    `${more ? 'More than ' : ''}${counted(paths.length, 'test file')}: ${shown.map(code).join(', ')}${paths.length > shown.length ? ' …' : ''}.`,
  )
}
