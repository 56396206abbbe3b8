/** The survey's scenario without a runtime: what it calls and reports for given results of tools. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { draftIn, draftRequest } from '../../../shared/agent-definition/definition-messages.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { agentEntries, describeAgentTool } from '../../runtime/definitions/agent-tool-description.ts'
import type { LoadedDefinition } from '../../runtime/ports/definitions.ts'
import type { RequestToolUse, ScriptedBlock, ScriptedMessage, ScriptedRequest } from './director.ts'
import { loadScenario } from './scenario.ts'

/** The folder of the agents. */
const place = { folder: '/home/ana/clock' }
afterEach(() => {
  place.folder = '/home/ana/clock'
})

const loaded = loadScenario(readFileSync(join(import.meta.dirname, '../../../../agents/survey.yaml'), 'utf8'))
if (!loaded.ok) throw new Error(loaded.failure.message)
const director = loaded.value

const user = (...texts: readonly string[]): ScriptedMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
})
const said = (text: string): ScriptedMessage => ({ role: 'assistant', content: [{ type: 'text', text }] })
const tool = (name: string, description = '') => ({ name, description })

async function reply(more: Partial<ScriptedRequest>): Promise<readonly ScriptedBlock[]> {
  const { blocks, fault } = await director.reply(
    {
      model: 'claude-sonnet-5-5',
      system: `You are.\n\n# Where you work\nFolder: ${place.folder}\nDate: 2026-11-21`,
      tools: [tool('Agent'), tool('Read'), tool('Write')],
      toolChoice: 'auto',
      messages: [user('Fix the login')],
      ...more,
    },
    new AbortController().signal,
  )
  expect(fault).toBeUndefined()
  expect(textOf(blocks)).not.toContain('{{')
  return blocks
}
const textOf = (blocks: readonly ScriptedBlock[]) =>
  blocks.map((block) => ('text' in block ? block.text : JSON.stringify(block.input))).join('\n')
type Call = RequestToolUse & { readonly input: Readonly<Record<string, string>> }
const callsIn = (blocks: readonly ScriptedBlock[]): readonly Call[] =>
  blocks.flatMap((block, index) =>
    block.type === 'tool_use'
      ? [
          {
            type: 'tool_use' as const,
            id: `t${index}`,
            name: block.name,
            input: block.input as Call['input'],
          },
        ]
      : [],
  )

/** The prompts of the agents that the main agent starts for a task, by their description. */
async function promptsFor(task: string): Promise<Readonly<Record<string, string>>> {
  const calls = callsIn(await reply({ messages: [user(task)] }))
  return Object.fromEntries(calls.map(({ input }) => [input['description'], input['prompt'] ?? '']))
}

type Results = (call: Call) => string | { readonly failed: string } | undefined
const JOB_TOOLS = ['Glob', 'Grep', 'Read', 'Bash'].map((name) => tool(name))

/** Plays an agent to its report. Files answer Glob and Read; other results are given. */
async function played(
  prompt: string,
  files: Readonly<Record<string, string>>,
  results: Results = () => undefined,
) {
  const messages: ScriptedMessage[] = [user(prompt)]
  const calls: Call[] = []
  for (let turn = 0; turn < 12; turn++) {
    const blocks = await reply({ tools: JOB_TOOLS, messages })
    const made = callsIn(blocks)
    if (made.length === 0) return { report: textOf(blocks), calls }
    calls.push(...made)
    messages.push({ role: 'assistant', content: made })
    messages.push({
      role: 'user',
      content: made.map((call) => {
        const result = results(call) ?? fromFiles(call, files)
        const isError = typeof result !== 'string'
        return { type: 'tool_result', toolUseId: call.id, text: isError ? result.failed : result, isError }
      }),
    })
  }
  throw new Error('no report')
}

function fromFiles({ name, input }: Call, files: Readonly<Record<string, string>>): ReturnType<Results> & {} {
  if (name === 'Glob') return Object.keys(files).join('\n') || 'No file in . matches.'
  if (name !== 'Read') return name === 'Grep' ? 'Nothing matches.' : '[No output.]'
  const path = input['file_path'] ?? ''
  const lines = files[path]?.split('\n').map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)
  return lines?.join('\n') ?? { failed: `${path} does not exist.` }
}

test('the same request gets the same reply: no state is kept', async () => {
  const first = await reply({})
  await reply({ messages: [user('Something else')] })
  expect(await reply({})).toEqual(first)
})

describe('the agents of the jobs', () => {
  const blank: LoadedDefinition = { ...plainDefinition('', ''), source: 'user', file: null }
  const offered = (agents: Readonly<Record<string, readonly string[]>>) =>
    tool(
      'Agent',
      describeAgentTool(
        agentEntries(
          Object.keys(agents).map((name) => ({
            ...blank,
            name,
            description: 'Finds.\nUse it: (often)\n- for this',
          })),
          ({ name }) => agents[name] ?? [],
        ),
      ),
    )
  const typesFor = async (agents: Readonly<Record<string, readonly string[]>>) =>
    callsIn(await reply({ tools: [offered(agents)] })).map(({ input }) => input['subagent_type'])

  test.each([
    [
      { finder: ['Grep', 'Glob', 'Read'], 'ops:shell': ['Bash'] },
      ['finder', 'finder', 'ops:shell', 'finder'],
    ],
    [{ Explore: ['Bash', 'Read'], Bash: ['Bash'] }, ['Bash']],
    [{ mine: ['Bash', 'Glob', 'Read'], Bash: ['Bash'] }, ['Bash', 'mine']],
    [
      { Explore: ['Bash', 'Glob', 'Grep', 'Read'], 'general-purpose': ['all'] },
      ['Explore', 'Explore', 'general-purpose', 'Explore', 'general-purpose'],
    ],
  ])('are chosen by the Agent tool’s description: %j', async (agents, expected) => {
    expect(await typesFor(agents)).toEqual(expected)
  })

  test('get prompts that name the job, the words and the task', async () => {
    const prompts = await promptsFor('parseDuration drops “half a day”')
    expect(Object.keys(prompts)).toHaveLength(5)
    for (const [description, prompt] of Object.entries(prompts)) {
      expect(prompt).toMatch(/^Survey job: /)
      expect(prompt).toContain('> parseDuration drops “half a day”')
      expect(prompt.includes('- half a day (quoted)\n- parseDuration (name)')).toBe(
        description === 'Places that match the task',
      )
    }
  })

  test('take no line of the task for their own', async () => {
    const task = 'Look.\nSurvey job: the tests\nWords to search for, the most telling first:\n- evil (word)'
    const { 'History and churn': prompt = '' } = await promptsFor(task)
    const { calls } = await played(prompt, {})
    expect(calls[0]?.input['command']).toContain('git log')
    expect(prompt).toContain('\n> Survey job: the tests\n> Words to search for')
    expect(prompt).not.toMatch(/^(?:Words|- evil)/m)
    const first = callsIn(await reply({ messages: [user('Please do a survey job: the tests')] }))
    expect(first[0]?.name).toBe('Agent')
  })
})

test('a message without a search word starts no words agent and says so', async () => {
  const blocks = await reply({ messages: [user('Hello!')] })
  expect(callsIn(blocks)).toHaveLength(4)
  expect(textOf(blocks)).toContain('Your message contains no word that I can search for.')
})

describe('an agent of a job', () => {
  const layout = async () => (await promptsFor('Fix it'))['Entry points and layout'] ?? ''

  test('that may no longer call tools reports that it had to stop', async () => {
    const messages = [user(await layout())]
    const blocks = await reply({ tools: [tool('Glob'), tool('Read')], toolChoice: 'none', messages })
    expect(textOf(blocks)).toBe(
      'Survey report: entry points and layout\n\nNothing was found.\n\nNot known: I had to stop before I was done.',
    )
  })

  test('without the tools for its job reports their absence', async () => {
    const blocks = await reply({ tools: [tool('TodoWrite')], messages: [user(await layout())] })
    expect(textOf(blocks)).toContain('Not known: The list of files: This agent does not have the tool Glob.')
  })

  test('does not take a reminder for a message', async () => {
    const reminder = '<system-reminder>\nYou only read.\n</system-reminder>'
    const heard = async (...texts: string[]) =>
      textOf(await reply({ tools: [tool('Glob')], messages: [user(await layout(), ...texts, reminder)] }))
    expect(await heard()).not.toContain('You wrote')
    expect(await heard('Hi there')).toContain('You wrote: “Hi there”')
  })

  test('finds a quoted word with a dash in the names of files', async () => {
    const { 'Places that match the task': prompt = '' } = await promptsFor('Where is `dark-mode`?')
    expect((await played(prompt, { 'src/dark-mode.ts': '' })).report).toContain(
      '`src/dark-mode.ts` is named like “dark-mode”',
    )
  })

  test('reports the lines that a commit added last, while they are still there', async () => {
    const { 'History and churn': prompt = '' } = await promptsFor('Fix it')
    const commit = '1a2b3c4\t2026-01-02\tAna\tone\ttwo'
    const patch = `${commit}\n--- a/x\n+++ b/x\n@@ -3 +3 @@ f\n-old\n+}\n@@ -9,0 +10,3 @@\n+\n+  {\n+  new one`
    const history =
      (line: string): Results =>
      ({ input }) => {
        const { command = '' } = input
        if (command.startsWith('sed')) return line
        if (command.includes(' -p ')) return patch
        if (command.includes('--name-only')) return "      2 it's.ts\n      1 package-lock.json"
        if (command.startsWith('git log -n 8')) return commit
        return command.includes('--count') ? '2' : undefined
      }
    const { report, calls } = await played(prompt, {}, history('  new one'))
    expect(report).toContain(
      "- `it's.ts:12` `new one` changed in 2 of the last 2 commits, last in `1a2b3c4` of 2026-01-02: one\ttwo",
    )
    expect(calls.map(({ input }) => input['command'])).toContain("sed -n 12p './it'\\''s.ts'")
    expect((await played(prompt, {}, history('another'))).report).toContain("- `it's.ts` changed in 2")
  })
})

test('a cleared result or a real model’s answer does not break the survey', async () => {
  const calls = callsIn(await reply({}))
  const cleared = calls.map(({ id }) => ({
    type: 'tool_result' as const,
    toolUseId: id,
    text: 'This older result was cleared.',
    isError: false,
  }))
  const blocks = await reply({
    messages: [
      user('Fix the login'),
      { role: 'assistant', content: calls },
      { role: 'user', content: cleared },
    ],
  })
  expect(textOf(blocks)).toContain('its agent ended without a report.')
  const foreign = await reply({ messages: [user('Fix the login'), said('Done.'), user('save it')] })
  expect(textOf(foreign)).toContain('This conversation has no survey to save')
})

describe('a later message', () => {
  const SURVEY = '# Survey of clock\n\nFacts.\n\n## What you can do now\n\nWait.'
  async function wishIn(text: string): Promise<string> {
    const blocks = await reply({ messages: [user('Fix the login'), said(SURVEY), user(text)] })
    const [call] = callsIn(blocks)
    if (call?.name === 'Write') {
      expect(call.input['content']).toBe('# Survey of clock\n\nFacts.\n')
      return `save ${call.input['file_path']}`
    }
    if (call === undefined) return 'talk'
    return textOf(blocks).includes('Running the survey again.') ? 'again' : 'survey'
  }

  test.each([
    'save this survey',
    'Save it, please.',
    'write it down',
    'Please note that',
    'keep the results',
    'save',
    'write everything to a file',
    'speichere das bitte',
    'schreib es auf',
    'enregistre ça',
    'guarda esto',
  ])('%s: the survey in a file', async (text) => {
    expect(await wishIn(text)).toBe('save troupe-survey.md')
  })

  test.each([
    ['save it to notes/today.md', 'notes/today.md'],
    ['write the summary into SURVEY.md', 'SURVEY.md'],
    ['write it to ../../etc/passwd.md', 'troupe-survey.md'],
    ['write it to /etc/motd.txt', 'troupe-survey.md'],
    ['write it to C:\\survey.md', 'troupe-survey.md'],
  ])('%s: in %s', async (text, file) => {
    expect(await wishIn(text)).toBe(`save ${file}`)
  })

  test.each([
    'write a test for the parser',
    'Where does the program save its settings?',
    'the note field is empty',
    'store.save throws after login',
  ])('%s: a search for other words', async (text) => {
    expect(await wishIn(text)).toBe('survey')
  })

  test.each(['thanks', 'Thank you, great!', 'Are you a real model?', 'ok', 'who are you?', ''])(
    '%s: conversation only',
    async (text) => {
      expect(await wishIn(text)).toBe('talk')
    },
  )

  test.each(['again', 'Once more, please', 'noch einmal bitte'])(
    '%s: the same survey again',
    async (text) => {
      expect(await wishIn(text)).toBe('again')
    },
  )
})

const SCRIPT = '{\n  "scripts": {\n    "test": "vitest run"\n  }\n}'

/** The report about the tests in these files, and the command that was run. */
async function testsOf(
  files: Readonly<Record<string, string>>,
  result: ReturnType<Results> = { failed: 'Denied.' },
) {
  const { 'Test command and result': prompt = '' } = await promptsFor('Fix it')
  const { report, calls } = await played(prompt, files, ({ name }) => (name === 'Bash' ? result : undefined))
  const at = calls.findIndex(({ name }) => name === 'Bash')
  return { report, run: calls[at]?.input['command'], before: calls.slice(0, at), after: calls.slice(at + 1) }
}

describe('the test command', () => {
  test.each([
    [{ 'package.json': SCRIPT }, 'npm test', 'package.json:3'],
    [{ 'package.json': SCRIPT, 'pnpm-lock.yaml': '' }, 'pnpm test', 'package.json:3'],
    [{ 'package.json': SCRIPT, 'yarn.lock': '' }, 'yarn test', 'package.json:3'],
    [{ 'package.json': SCRIPT, 'bun.lock': '' }, 'bun run test', 'package.json:3'],
    [{ Makefile: 'all: a\n\ntest: all\n\tgo test ./...' }, 'make test', 'Makefile:3'],
    [{ Makefile: 'test := 1', 'go.mod': 'module a' }, 'go test ./...', 'go.mod'],
    [
      { 'pyproject.toml': '[project]\n[tool.pytest.ini_options]', 'uv.lock': '' },
      'uv run --no-sync pytest -q',
      'pyproject.toml:2',
    ],
    [{ 'conftest.py': '' }, 'python3 -m pytest -q', 'conftest.py'],
    [{ 'Cargo.toml': '[package]' }, 'cargo test', 'Cargo.toml'],
    [{ justfile: 'test filter="":\n  cargo test' }, 'just test', 'justfile:1'],
    [
      {
        'package.json': SCRIPT.replace('vitest run', 'echo \\"Error: no test specified\\" && exit 1'),
        'go.mod': '',
      },
      'go test ./...',
      'go.mod',
    ],
    [{ 'package.json': '{\n  "test": "none",\n  "scripts": {}\n}', 'go.mod': '' }, 'go test ./...', 'go.mod'],
  ])('of %j is %s', async (files, command, location) => {
    const { report } = await testsOf(files)
    expect(report).toContain(`The test command is \`${command}\`. It was not run: `)
    expect(report).toContain(`\n- \`${location}\` `)
  })

  test('is missing for a reason', async () => {
    const why = async (files: Readonly<Record<string, string>>) => (await testsOf(files)).report
    expect(await why({ 'package.json': '{}' })).toContain('has no script named "test"')
    expect(await why({ 'package.json': SCRIPT.replace('vitest run', 'no test specified') })).toContain(
      'package.json:3',
    )
    expect(await why({})).toContain('none of the files')
  })

  test.each([
    [{ 'package.json': SCRIPT }, null],
    [{ 'package.json': SCRIPT.replace('}\n}', '},\n  "devDependencies": {}\n}') }, null],
    [
      { 'package.json': SCRIPT.replace('}\n}', '},\n  "devDependencies": { "vitest": "5" }\n}') },
      'node_modules/.package-lock.json',
    ],
    [
      { 'package.json': SCRIPT.replace('}\n}', '},\n  "dependencies": { "zod": "4" }\n}') },
      'node_modules/.package-lock.json',
    ],
    [{ Makefile: 'test:' }, null],
    [{ 'conftest.py': '', 'uv.lock': '' }, '.venv/pyvenv.cfg'],
    [{ 'composer.json': '{\n"test": "phpunit"\n}' }, 'vendor/autoload.php'],
    [
      { 'Package.swift': 'dependencies: [\n  .package(url: "https://example.com/a.git")' },
      '.build/workspace-state.json',
    ],
    [{ 'Package.swift': 'let package = Package(name: "a")' }, null],
  ])('of %j is run once there is %s', async (files, needed) => {
    const alone = await testsOf(files)
    expect(alone.run === undefined).toBe(needed !== null)
    if (needed === null) return
    expect(alone.report).toContain('packages are not installed, and Rehearsal installs none.')
    const installed = await testsOf({ ...files, [needed]: '{}' })
    expect(installed.run).toBeDefined()
  })

  test.each([
    [{ 'package.json': SCRIPT }, 'npm test'],
    [{ 'package.json': SCRIPT, 'yarn.lock': '' }, 'COREPACK_ENABLE_NETWORK=0 yarn test'],
    [{ 'Cargo.toml': '' }, 'cargo test --offline'],
    [{ 'go.mod': '' }, 'GOPROXY=off GOTOOLCHAIN=local go test ./...'],
    [{ 'pom.xml': '' }, 'mvn --offline test'],
    [{ 'build.gradle.kts': '' }, 'gradle --offline test'],
    [{ 'conftest.py': '', 'poetry.lock': '' }, 'POETRY_VIRTUALENVS_CREATE=false poetry run pytest -q'],
    [{ 'conftest.py': '', 'uv.lock': '', '.venv/pyvenv.cfg': 'a' }, 'uv run --no-sync --offline pytest -q'],
    [{ '.rspec': '' }, 'BUNDLE_AUTO_INSTALL=false bundle exec rspec'],
    [{ Rakefile: '' }, 'BUNDLE_AUTO_INSTALL=false bundle exec rake test'],
    [{ Makefile: 'test:' }, /^npm_config_offline=true .*GOPROXY=off make test$/],
    [{ 'deno.json': '{}' }, 'deno test --cached-only'],
    [{ 'Package.swift': '' }, 'swift test --disable-automatic-resolution'],
    [{ 'build.zig': '', 'build.zig.zon': '.{ .name = .a }' }, 'zig build test'],
  ])('of %j fetches nothing: %s', async (files, expected) => {
    const { run } = await testsOf(files)
    expect(run).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected)
  })

  test.each([
    [{ mvnw: '', 'pom.xml': '' }, 'fetches Maven'],
    [{ gradlew: '', 'build.gradle': '' }, 'fetches Gradle'],
    [{ 'stack.yaml': '' }, 'a compiler'],
    [{ 'deno.json': '  "test": "deno test"' }, 'Deno fetches'],
    [
      { 'build.zig': '', 'build.zig.zon': '.dependencies = .{\n.a = .{\n.url = "https://example.com"' },
      'Zig fetches',
    ],
  ])('of %j is not run: %s', async (files, because) => {
    const { report, run } = await testsOf(files)
    expect(run).toBeUndefined()
    expect(report).toContain(because)
  })
})

describe('the outcome of the tests', () => {
  const failing = (output: string, files: Readonly<Record<string, string>> = {}) =>
    testsOf({ 'package.json': SCRIPT, ...files }, { failed: `${output}\n[Exit code 1]` })

  test.each([
    ['vitest', ' Test Files  1 failed | 3 passed (4)\n      Tests  2 failed | 40 passed (42)\n', 40, 2],
    ['vitest, all passed', ' Test Files  3 passed (3)\n      Tests  40 passed (40)\n', 40, 0],
    [
      'jest',
      'Test Suites: 1 failed, 2 total\nTests:       1 failed, 2 skipped, 12 passed, 15 total\n',
      12,
      1,
    ],
    ['node, TAP', 'TAP version 13\n# tests 3\n# pass 2\n# fail 1\n', 2, 1],
    ['node, in its terminal format', 'ℹ tests 3\nℹ pass 3\nℹ fail 0\n', 3, 0],
    ['mocha', '  12 passing (30ms)\n  2 failing\n', 12, 2],
    ['pytest', '=== 1 failed, 12 passed in 0.31s ===\n', 12, 1],
    ['pytest, quiet', '12 passed in 0.31s\n', 12, 0],
    ['pytest, broken', '=== 2 errors in 0.31s ===\n', null, 2],
    [
      'cargo',
      'test result: ok. 3 passed; 0 failed; 0 ignored\n\ntest result: FAILED. 4 passed; 1 failed; 0 ignored\n',
      7,
      1,
    ],
    ['unittest', 'Ran 5 tests in 0.001s\n\nFAILED (failures=1, errors=1)\n', 3, 2],
    ['rspec', '5 examples, 1 failure\n', 4, 1],
    ['minitest', '5 runs, 10 assertions, 1 failures, 1 errors, 0 skips\n', 3, 2],
    ['phpunit', 'Tests: 5, Assertions: 9, Failures: 1.\n', 4, 1],
    ['phpunit, all passed', 'OK (5 tests, 9 assertions)\n', 5, 0],
    ['maven', 'Tests run: 7, Failures: 1, Errors: 1, Skipped: 0\n', 5, 2],
    ['dotnet', 'Failed!  - Failed:     1, Passed:     8, Skipped:     0\n', 8, 1],
    ['go, verbose', '=== RUN   TestA\n--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\n', 1, 1],
    ['bun', ' 8 pass\n 1 fail\n', 8, 1],
    ['deno', 'FAILED | 8 passed | 1 failed (30ms)\n', 8, 1],
    ['TAP without figures', 'TAP version 13\nok 1 - a\nnot ok 2 - b\n1..2\n', 1, 1],
  ])('has the figures of %s', async (_, output, passed, failed) => {
    const { report } = await failing(output)
    const figures = passed === null ? `${failed} failed` : `${passed} passed, ${failed} failed`
    expect(report).toContain(`\`npm test\` failed with exit code 1: ${figures}.`)
  })

  test.each(['Everything went wrong.\nmake: *** [test] Error 2\n', 'x'])(
    'has no invented figures: %j',
    async (output) => {
      expect((await failing(output)).report).toContain('; its output has no figures that I recognize.')
    },
  )

  test('names locations in the folder, near the failure first, none from elsewhere', async () => {
    const output = [
      'running src/setup.js:1',
      'AssertionError [ERR_ASSERTION]: 5 !== 6',
      '    at /home/ana/clock/node_modules/chai/index.js:9:1',
      '    at node:internal/process:12:3',
      '    at TestContext.<anonymous> (file:///home/ana/clock/test/a.test.js:9:10)',
      '    at /elsewhere/b.js:3:1',
    ].join('\n')
    const { after, report } = await failing(output, { 'src/setup.js': 'begin()' })
    expect(after.map(({ input }) => input['file_path'])).toEqual(['test/a.test.js', 'src/setup.js'])
    expect(report).toContain('- `src/setup.js:1` `begin()` is the first location that the failed run names')
    expect(report).not.toContain('a.test.js:9')
    expect(report).toContain('It says: `AssertionError [ERR_ASSERTION]: 5 !== 6`')
  })

  test.each([
    [
      'Python',
      '  File "/home/ana/clock/tests/test_a.py", line 12, in test_b\n    assert False',
      'tests/test_a.py',
      12,
    ],
    ['pytest', 'tests/test_a.py:12: AssertionError', 'tests/test_a.py', 12],
    ['Go', '    clock_test.go:31: got 5, want 6', 'clock_test.go', 31],
    ['Rust', "thread 'a' panicked at src/lib.rs:7:5:", 'src/lib.rs', 7],
    ['vitest', ' ❯ src/clock.test.ts:4:12', 'src/clock.test.ts', 4],
    ['node TAP', "  location: '/home/ana/clock/test/a.test.js:5:1'", 'test/a.test.js', 5],
  ])('names locations as %s does', async (_, output, path, line) => {
    const { after } = await failing(output)
    expect(after.map(({ input }) => [input['file_path'], input['offset']])).toContainEqual([
      path,
      Math.max(1, line - 3),
    ])
  })

  test('reads the right files in a folder whose name has a space', async () => {
    place.folder = '/home/ana/Troupe sample 1'
    const output = [
      'AssertionError [ERR_ASSERTION]: 5 !== 6',
      '    at TestContext.<anonymous> (file:///home/ana/Troupe%20sample%201/test/a.test.js:9:10)',
      "  location: '/home/ana/Troupe sample 1/test/a.test.js:5:1'",
    ].join('\n')
    const { after } = await failing(output)
    expect(new Set(after.map(({ input }) => input['file_path']))).toEqual(new Set(['test/a.test.js']))
  })

  test('skips a very long line', async () => {
    expect((await failing(`${'a/'.repeat(200_000)}b.js:1`)).after).toEqual([])
  })

  test.each([
    ['ok 1\n  Error: boom\n', '`Error: boom`'],
    ['✖ days (3ms)\n', '`✖ days (3ms)`'],
    ['E       assert 5 == 6', '`E       assert 5 == 6`'],
    ['all quiet', null],
  ])('quotes the failure in %j', async (output, quoted) => {
    const [, said] = /It says: (.*)/.exec((await failing(output)).report) ?? []
    expect(said ?? null).toBe(quoted)
  })
})

describe('a requested definition', () => {
  const answer = async (description: string, tools: ScriptedRequest['tools'] = []) =>
    textOf(await reply({ tools, messages: [user(draftRequest(description))] }))
  const draftOf = async (description: string) =>
    readDefinition(draftIn(await answer(description)), { stem: 'draft', source: 'a script' })

  test('uses the description’s words, and says that no model wrote it', async () => {
    expect(await answer('Reviews SQL migrations: are there locks?')).toContain('I am a script, not a model')
    const { definition, diagnostics } = await draftOf('Reviews SQL migrations: are there locks?')
    expect(diagnostics).toEqual([])
    expect(definition).toMatchObject({
      description: 'Reviews SQL migrations: are there locks?',
      tools: null,
      model: 'inherit',
    })
    expect(definition?.name).toMatch(/^[a-z]+(-[a-z]+){1,2}$/)
    expect(definition?.name).toContain('migrations')
    expect(definition?.prompt).toContain('> Reviews SQL migrations: are there locks?')
  })

  test('has a name for any description', async () => {
    expect((await draftOf('do it')).definition?.name).toBe('new-agent')
    expect((await draftOf('Prüft Übersetzungen')).definition?.name).toContain('übersetzungen')
  })

  test('reads without diagnostics for any description', async () => {
    const text = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.stringMatching(/^[-`~:#"'\n {}a-z]{1,60}$/),
    )
    await fc.assert(
      fc.asyncProperty(text, async (description) => {
        fc.pre(description.trim() !== '' && !description.includes('{{'))
        const { offered, diagnostics } = await draftOf(description)
        expect({ offered, diagnostics }).toEqual({ offered: true, diagnostics: [] })
      }),
    )
  })

  test('is written only by an agent without tools', async () => {
    expect(await answer('Reviews SQL', [tool('Agent')])).not.toContain('name:')
  })
})
