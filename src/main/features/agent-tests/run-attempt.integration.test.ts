import { expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { CASES, draft, hasResult, reviewer, testBench, tool } from './testing/test-bench.ts'

const passing = 'task: Say hello.\nchecks:\n  - report-contains: hello\n'

test('an attempt passes or fails by its checks, with what was found, and its transcript is kept', async () => {
  const bench = await testBench(({ system }) => (system.includes('Be rude.') ? 'Go away.' : 'hello there'), {
    files: { [`${CASES}/hello.yaml`]: passing },
  })
  const { run, attempts } = await bench.run({
    versions: [draft(reviewer('Be rude.')), draft(reviewer('Be kind.'))],
  })
  expect(run).toMatchObject({
    state: 'ended',
    because: null,
    reused: 0,
    title: 'Draft and Draft, 2 attempts',
  })
  expect(attempts.map(({ state, checks }) => [state, checks[0]?.found]).sort()).toEqual([
    ['failed', 'not in the report: Go away.'],
    ['passed', 'in the report'],
  ])
  for (const { usd, tokens, turns, ms, agentId, conversationId } of attempts) {
    expect([usd, tokens, turns, ms].every((figure) => (figure ?? 0) > 0)).toBe(true)
    const page = await bench.program.store.page(agentId ?? '', { before: null, limit: 100 })
    expect(page.ok && page.value.events.map(({ type }) => type)).toContain('assistant-message')
    const record = await bench.program.store.read(conversationId ?? '')
    expect(record.ok && record.value).toMatchObject({
      scratch: true,
      test: true,
      title: 'Test: hello',
      folder: bench.folder,
    })
  }
  expect(bench.attemptFolders()).toEqual([])
})

test('the agent works in a folder of its own, and leaves nothing in the repository', async () => {
  const bench = await testBench(
    (request) =>
      hasResult(request)
        ? 'done'
        : tool('Bash', {
            command:
              'echo two > b.txt; rm a.txt; ls -A .claude; git commit -qam "x" && git branch other && git tag t',
          }),
    {
      settings: { maxParallelAgents: 2 },
      files: {
        [`${CASES}/change.yaml`]: [
          'task: Change it.',
          'checks:',
          '  - files-changed: [a.txt, "*.txt"]',
          '  - files-unchanged: src/**',
          '  - command: test -f b.txt && test ! -f a.txt',
          '  - tools-not-used: [Write, Edit]',
          'permissions: {allow: [Bash]}',
        ].join('\n'),
      },
    },
  )
  const before = bench.traces()
  const { attempts } = await bench.run({ attempts: 3 })
  expect(
    attempts.map(({ state, because, checks }) => [state, because, checks.filter(({ passed }) => !passed)]),
  ).toEqual([
    ['passed', null, []],
    ['passed', null, []],
    ['passed', null, []],
  ])
  expect(attempts[0]?.checks[0]?.found).toBe('changed: a.txt, b.txt')
  expect(bench.traces()).toEqual(before)
  expect(bench.attemptFolders()).toEqual([])
  // The agent does not see what is expected of it.
  const page = await bench.program.store.page(attempts[0]?.agentId ?? '', { before: null, limit: 100 })
  const output = page.ok ? page.value.events.find(({ type }) => type === 'tool-ended') : undefined
  expect(JSON.stringify(output)).toContain('agents')
  expect(JSON.stringify(output)).not.toContain('agent-tests')
})

test('a request that no rule answers fails the attempt, which names it; an unneeded call is denied by the case', async () => {
  const bench = await testBench(
    (request) => (hasResult(request) ? 'done' : tool('Bash', { command: 'curl example.com' })),
    {
      files: {
        [`${CASES}/a.yaml`]: 'task: Load it.\nchecks:\n  - no-request: any\n',
        [`${CASES}/b.yaml`]:
          'task: Load it.\nchecks:\n  - report-contains: done\npermissions: {deny: ["Bash(curl:*)"]}\n',
      },
    },
  )
  const { attempts } = await bench.run()
  const [asked, denied] = attempts.toSorted((a, b) => (a.caseFile < b.caseFile ? -1 : 1))
  expect(asked).toMatchObject({
    state: 'failed',
    because: expect.stringContaining('run a command: curl example.com'),
  })
  expect(denied).toMatchObject({ state: 'passed', because: null })
})

test('a refused write ends in the path, and what a case denies is denied to the agents that its agent starts', async () => {
  const bench = await testBench(
    (request) => {
      const isStarted = JSON.stringify(request.messages[0]).includes('Load example.com')
      if (hasResult(request)) return isStarted ? 'tried' : JSON.stringify(request.messages.at(-1))
      if (JSON.stringify(request.messages).includes('Write it'))
        return tool('Write', { file_path: 'src/new.ts', content: 'export {}\n' })
      return isStarted
        ? request.tools.some(({ name }) => name === 'WebFetch')
          ? 'It has WebFetch.'
          : tool('Bash', { command: 'curl example.com' })
        : tool('Agent', { description: 'Load', subagent_type: 'general-purpose', prompt: 'Load example.com' })
    },
    {
      files: {
        [`${CASES}/started.yaml`]:
          'task: Have it loaded.\nchecks:\n  - report-contains: tried\n  - no-request: any\npermissions: {deny: ["Bash(curl:*)", WebFetch]}\n',
        [`${CASES}/write.yaml`]: 'task: Write it.\nchecks:\n  - files-changed: src/new.ts\n',
      },
    },
  )
  const { attempts } = await bench.run()
  const [started, write] = attempts.toSorted((a, b) => (a.caseFile < b.caseFile ? -1 : 1))
  expect(started).toMatchObject({ state: 'passed', because: null })
  expect(write?.because).toBe(
    'Nobody answers requests here, and no rule did: it wanted to write src/new.ts. Allow it in the case where it belongs to the task.',
  )
})

test('limits end an attempt, which then fails', async () => {
  const bench = await testBench(() => tool('Glob', { pattern: '*' }), {
    files: { [`${CASES}/a.yaml`]: `${passing}limits: {turns: 3}\n` },
  })
  const { attempts } = await bench.run()
  expect(attempts[0]).toMatchObject({
    state: 'failed',
    because: expect.stringContaining('limit of 3 turns.'),
  })
})

test('a case that can’t be carried out is broken, says why, and stops no other one', async () => {
  const bench = await testBench(() => 'hello', {
    files: {
      [`${CASES}/gone.yaml`]: `${passing}start: {commit: 0123456789}\n`,
      [`${CASES}/files.yaml`]: `${passing}start: {files: nowhere}\n`,
      [`${CASES}/command.yaml`]: 'task: a\nchecks:\n  - command: no-such-program --now\n',
      [`${CASES}/schema.yaml`]: 'task: a\nchecks:\n  - report-schema: {type: nonsense}\n',
      [`${CASES}/slow.yaml`]: 'task: a\nchecks:\n  - report-matches: (h+)+x\n',
      [`${CASES}/good.yaml`]: passing,
    },
  })
  const { run, attempts } = await bench.run()
  expect(run.state).toBe('ended')
  const ends = Object.fromEntries(
    attempts.map(({ caseFile, state, because }) => [
      caseFile.slice(CASES.length + 1),
      `${state}: ${because}`,
    ]),
  )
  expect(ends).toEqual({
    'gone.yaml': 'broken: The commit 0123456789 is not in this repository.',
    'files.yaml': expect.stringContaining('broken: The folder nowhere beside the case is gone'),
    'command.yaml': expect.stringMatching(
      /^broken: The check “no-such-program --now” could not be run: .*not found/,
    ),
    'schema.yaml': expect.stringContaining('broken: report-schema: '),
    'slow.yaml': expect.stringMatching(/^failed: null/),
    'good.yaml': 'passed: null',
  })
  expect(bench.attemptFolders()).toEqual([])
})

test('an expression that never ends is stopped', async () => {
  const bench = await testBench(() => `${'h'.repeat(60)}!`, {
    files: { [`${CASES}/slow.yaml`]: 'task: a\nchecks:\n  - report-matches: ^(h+)+$\n' },
  })
  const { attempts } = await bench.run()
  expect(attempts[0]).toMatchObject({
    state: 'broken',
    because: expect.stringContaining('takes longer than 1 s'),
  })
})

test('a case with files of its own needs no repository, and its agent sees only them', async () => {
  const bench = await testBench(
    (request) => (hasResult(request) ? 'hello' : tool('Bash', { command: 'ls; git log --oneline' })),
    {
      files: {
        [`${CASES}/clean.yaml`]: `${passing}start: {files: clean/code}\npermissions: {allow: [Bash]}\n`,
        [`${CASES}/clean/code/only.ts`]: 'export {}\n',
      },
    },
  )
  const { attempts } = await bench.run({ attempts: 2 })
  expect(attempts.map(({ state, because }) => [state, because])).toEqual([
    ['passed', null],
    ['passed', null],
  ])
  const page = await bench.program.store.page(attempts[0]?.agentId ?? '', { before: null, limit: 100 })
  const output = JSON.stringify(page.ok ? page.value.events.find(({ type }) => type === 'tool-ended') : null)
  expect(output).toContain('only.ts')
  expect(output).toContain('The files of the case')
  expect(output).not.toContain('a.txt')
})

test('the majority of three votes is an opinion', async () => {
  let votes = 0
  const bench = await testBench(
    ({ system }) =>
      system.includes('You judge')
        ? ++votes % 3 === 0
          ? 'FAIL\nIt is rude.'
          : '**PASS**\nIt is kind.'
        : 'hello',
    { files: { [`${CASES}/a.yaml`]: 'task: a\nchecks:\n  - opinion: It is kind.\n' } },
  )
  const { attempts } = await bench.run()
  expect(attempts[0]).toMatchObject({
    state: 'passed',
    checks: [{ passed: true, found: '2 of 3 votes: It is kind.' }],
  })
})

test('without a model, attempts are broken, and the run ends with the reason', async () => {
  const bench = await testBench(() => 'hello', { files: { [`${CASES}/a.yaml`]: passing } })
  await bench.program.switchAccess({ kind: 'api', key: 'wrong', baseUrl: bench.baseUrl })
  const { run, attempts } = await bench.run({ attempts: 20 })
  expect(run).toMatchObject({ state: 'stopped', because: expect.stringContaining('key') })
  expect(attempts.some(({ state }) => state === 'broken')).toBe(true)
  expect(attempts.length).toBeLessThan(20)
})

test('in the sandbox, agents and checks reach their folder and its history, and nothing else', async () => {
  const outside = 'echo x > ../../../outside.txt; echo x > $PROJECT/outside.txt'
  const bench = await testBench(
    (request) =>
      hasResult(request)
        ? 'hello'
        : tool('Bash', {
            command: 'echo two > b.txt; git log --oneline; git add b.txt; git commit -qm Second',
          }),
    {
      settings: { sandbox: defaultSettings.sandbox },
      under: '/var/tmp',
      files: {
        [`${CASES}/a.yaml`]: [
          'task: Change it.',
          'checks:',
          '  - files-changed: b.txt',
          '  - command: git log --oneline | grep First && test -f b.txt',
          `  - command: "! { ${outside}; } 2>/dev/null"`,
        ].join('\n'),
      },
    },
  )
  const before = bench.traces()
  const { attempts } = await bench.run({ attempts: 2 })
  expect(
    attempts.map(({ state, because, checks }) => [state, because, checks.map(({ found }) => found)]),
  ).toEqual([
    ['passed', null, ['changed: b.txt', 'exit code 0', 'exit code 0']],
    ['passed', null, ['changed: b.txt', 'exit code 0', 'exit code 0']],
  ])
  const page = await bench.program.store.page(attempts[0]?.agentId ?? '', { before: null, limit: 100 })
  const ended = page.ok ? page.value.events.find(({ type }) => type === 'tool-ended') : undefined
  expect(JSON.stringify(ended)).toContain('First')
  expect(bench.traces()).toEqual(before)
  expect(bench.attemptFolders()).toEqual([])
})
