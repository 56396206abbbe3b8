/** What can be tested besides definitions of subagents: main agents, skills, and external agents. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CASES, hasResult, inUse, reviewer, testBench, tool } from './testing/test-bench.ts'

const EXAMPLE = join(import.meta.dirname, '../external-agents/backing/testing/example-agent.ts')
const passing = (word: string) => `task: Say it.\nchecks:\n  - report-contains: ${word}\n`

test('a main agent has the prompt and the tools of one, and starts agents in its folder', async () => {
  const seen: string[][] = []
  const bench = await testBench(
    (request) => {
      const { tools, messages } = request
      if (JSON.stringify(messages[0]).includes('Look here')) {
        seen.push(tools.map(({ name }) => name))
        return hasResult(request) ? 'I wrote it.' : tool('Bash', { command: 'curl --version > b.txt' })
      }
      seen.push(tools.map(({ name }) => name))
      return hasResult(request)
        ? 'done'
        : tool('Agent', { description: 'Look', prompt: 'Look here', subagent_type: 'general-purpose' })
    },
    {
      files: {
        '.claude/agent-tests/main/a.yaml': [
          'task: Let an agent look.',
          'role: main',
          'checks:',
          '  - report-contains: done',
          '  - files-changed: b.txt',
          'permissions: {mode: acceptEdits, allow: [Bash]}',
        ].join('\n'),
      },
    },
  )
  const { attempts } = await bench.run({ agent: 'main' })
  expect(attempts[0]).toMatchObject({ state: 'passed', because: null, turns: 4 })
  expect(seen[0]).toContain('AskUserQuestion')
  expect(seen[0]).toContain('Agent')
  expect(seen.some((tools) => !tools.includes('AskUserQuestion'))).toBe(true)
  expect(bench.git('status', '--porcelain')).toBe('')
})

test('an agent that asks its user fails, because nobody answers', async () => {
  const question = {
    question: 'Which?',
    header: 'W',
    multiSelect: false,
    options: [
      { label: 'a', description: '' },
      { label: 'b', description: '' },
    ],
  }
  const bench = await testBench(() => tool('AskUserQuestion', { questions: [question] }), {
    files: { '.claude/agent-tests/main/a.yaml': `role: main\n${passing('x')}` },
  })
  const { attempts } = await bench.run({ agent: 'main' })
  expect(attempts[0]).toMatchObject({
    state: 'failed',
    because: expect.stringContaining('its call of AskUserQuestion asks the user'),
  })
})

test('a task that begins with a command is that of its skill; a version can have a skill more', async () => {
  const bench = await testBench(
    ({ system, messages }) =>
      [
        system.includes('Speak loudly.') ? 'LOUD' : 'quiet',
        JSON.stringify(messages[0]).includes('Greet Ada') ? 'Ada' : 'nobody',
      ].join(' '),
    {
      files: {
        '.claude/skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets.\n---\nGreet $ARGUMENTS.\n',
        '../home/.claude/skills/loud/SKILL.md': '---\nname: loud\ndescription: Loud.\n---\nSpeak loudly.\n',
        [`${CASES}/greet.yaml`]: 'task: /greet Ada\nchecks:\n  - report-contains: Ada\n',
        [`${CASES}/loud.yaml`]: passing('LOUD'),
        [`${CASES}/unknown.yaml`]: 'task: /nothing here\nchecks:\n  - report-contains: x\n',
      },
    },
  )
  const { run, attempts } = await bench.run({ versions: [inUse, { ...inUse, skill: 'loud' }] })
  expect(run.versions[1]?.title).toBe('In use, with loud')
  const states = attempts.map(({ caseFile, versionId, state }) => {
    const version = run.versions.findIndex(({ id }) => id === versionId)
    return `${caseFile.slice(CASES.length + 1)} ${version}: ${state}`
  })
  expect(states.sort()).toEqual([
    'greet.yaml 0: passed',
    'greet.yaml 1: passed',
    'loud.yaml 0: failed',
    'loud.yaml 1: passed',
    'unknown.yaml 0: broken',
    'unknown.yaml 1: broken',
  ])
  // Another text of the skill is other content.
  await bench.write({
    '../home/.claude/skills/loud/SKILL.md': '---\nname: loud\ndescription: Loud.\n---\nSpeak quietly.\n',
  })
  const again = await bench.run({
    versions: [{ ...inUse, skill: 'loud' }],
    caseFiles: [`${CASES}/loud.yaml`],
  })
  expect(again.attempts.map(({ state }) => state)).toEqual(['failed'])
})

test('an external agent is a version, whose cost is not known and which keeps no budget', async () => {
  const bench = await testBench(() => 'hello', {
    files: {
      '../home/.claude/agents/outsider.md': `---\nname: outsider\ndescription: Writes.\nbacking: acp\ncommand: ${process.execPath}\nargs: [${EXAMPLE}, files]\n---\n`,
      [`${CASES}/a.yaml`]:
        'task: Write it.\nchecks:\n  - files-changed: written.txt\npermissions: {mode: acceptEdits, deny: ["Read(.env)"]}\n',
    },
  })
  const outsider = { ...inUse, base: { type: 'agent' as const, name: 'outsider' } }
  const { run, attempts } = await bench.run({ versions: [inUse, outsider] })
  expect(run.versions[1]).toMatchObject({ title: 'outsider', model: 'its own model', text: null })
  const byVersion = new Map(attempts.map((attempt) => [attempt.versionId, attempt]))
  expect(byVersion.get(run.versions[0]?.id ?? '')).toMatchObject({ state: 'failed' })
  expect(byVersion.get(run.versions[1]?.id ?? '')).toMatchObject({
    state: 'passed',
    because: null,
    usd: null,
  })
  await expect(bench.begin({ versions: [outsider], maxUsd: 1 })).rejects.toThrow(
    'no-price: What outsider costs is not known',
  )
  expect(bench.git('status', '--porcelain')).toBe('')
})

test('an attempt has no memory, which would help the next one', async () => {
  const prompts: string[] = []
  const bench = await testBench(
    ({ system }) => {
      prompts.push(system)
      return 'hello'
    },
    {
      files: {
        '.claude/agents/reviewer.md': reviewer('Be short.', 'memory: project\n'),
        '.claude/agent-memory/reviewer/MEMORY.md': 'The bug is in charge.ts.\n',
        [`${CASES}/a.yaml`]: passing('hello'),
      },
    },
  )
  await bench.run()
  expect(prompts).toHaveLength(1)
  expect(prompts[0]).toContain('Be short.')
  expect(prompts[0]).not.toContain('charge.ts')
})
