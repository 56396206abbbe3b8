import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Director, ScriptedMessage, ScriptedRequest } from './director.ts'
import { loadScenario } from './scenario.ts'

const never = new AbortController().signal

function director(yaml: string): Director {
  const loaded = loadScenario(yaml)
  if (!loaded.ok) throw new Error(loaded.failure.message)
  return loaded.value
}

const says = (text: string): ScriptedMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const results = (...texts: string[]): ScriptedMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'tool_result', toolUseId: 't', text, isError: false })),
})
const said: ScriptedMessage = { role: 'assistant', content: [{ type: 'text', text: '…' }] }

const request = (
  messages: readonly ScriptedMessage[],
  more: Partial<ScriptedRequest> = {},
): ScriptedRequest => ({
  model: 'claude-sonnet-5-5',
  system: 'You are the main agent.',
  tools: [{ name: 'Bash', description: '' }],
  toolChoice: 'auto',
  messages,
  ...more,
})

/** The messages up to an agent's turn. */
const upTo = (turn: number, last: ScriptedMessage = says('go on')): readonly ScriptedMessage[] => [
  says('Fix the bug'),
  ...Array.from({ length: turn - 1 }, (_, at) => [said, at === turn - 2 ? last : says('go on')]).flat(),
]

const play = (scenario: Director, ...args: Parameters<typeof request>) =>
  scenario.reply(request(...args), never)

test('the first matching step answers', async () => {
  const scenario = director(`
steps:
  - agent: explorer
    reply: I explore.
  - turn: 1
    when: bug
    reply:
      - thinking: A bug.
      - text: I look.
      - tool: Bash
        input: { command: ls, timeout: 5 }
  - turn: 2-3, 7
    reply: Two, three or seven.
  - reply: Whatever.
`)
  expect((await play(scenario, upTo(1))).blocks).toEqual([
    { type: 'thinking', text: 'A bug.' },
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', name: 'Bash', input: { command: 'ls', timeout: 5 } },
  ])
  const words = async (...args: Parameters<typeof request>) => {
    const [block] = (await play(scenario, ...args)).blocks
    return block?.type === 'text' ? block.text : block?.type
  }
  expect(await words(upTo(1), { system: 'You are an EXPLORER.' })).toBe('I explore.')
  expect(await words([says('Explorer, look')])).toBe('I explore.')
  expect(await words(upTo(2))).toBe('Two, three or seven.')
  expect(await words(upTo(3))).toBe('Two, three or seven.')
  expect(await words(upTo(4))).toBe('Whatever.')
  expect(await words(upTo(7))).toBe('Two, three or seven.')
  expect(await words(upTo(8))).toBe('Whatever.')
})

test('patterns match the last message with its results, and capture words for the reply', async () => {
  const scenario = director(`
steps:
  - when: /agent ([\\w-]+) is (done|lost)/
    reply:
      - tool: SendMessage
        input: { to: "{{1}}", notes: ["You are {{2}}", "{{ results }}", "{{nothing}}"] }
  - agent: /the (\\w+) agent/
    turn: 2+
    reply: "{{1}} {{turn}} {{task}}"
  - tools: false
    reply: no tools
  - model: opus
    reply: dear
  - reply: other
`)
  expect((await play(scenario, upTo(2, results('Agent a-12 is done')))).blocks).toEqual([
    {
      type: 'tool_use',
      name: 'SendMessage',
      input: { to: 'a-12', notes: ['You are done', 'Agent a-12 is done', '{{nothing}}'] },
    },
  ])
  const text = async (...args: Parameters<typeof request>) => (await play(scenario, ...args)).blocks
  expect(await text(upTo(9))).toEqual([{ type: 'text', text: 'main 9 Fix the bug' }])
  expect(await text(upTo(1), { toolChoice: 'none' })).toEqual([{ type: 'text', text: 'no tools' }])
  expect(await text(upTo(1), { tools: [] })).toEqual([{ type: 'text', text: 'no tools' }])
  expect(await text(upTo(1), { model: 'claude-opus-5-5' })).toEqual([{ type: 'text', text: 'dear' }])
  expect(await text(upTo(1))).toEqual([{ type: 'text', text: 'other' }])
})

test('repeat makes many numbered calls', async () => {
  const scenario = director(`
steps:
  - reply:
      - tool: Agent
        repeat: 3
        id: toolu_{{n}}
        input: { prompt: "Part {{n}}" }
`)
  expect((await play(scenario, upTo(1))).blocks).toEqual(
    [1, 2, 3].map((n) => ({
      type: 'tool_use',
      name: 'Agent',
      id: `toolu_${n}`,
      input: { prompt: `Part ${n}` },
    })),
  )
})

test('once and times limit the uses of a step', async () => {
  const scenario = director(`
steps:
  - { once: true, reply: a }
  - { times: 2, reply: b }
  - { reply: c }
`)
  const order: unknown[] = []
  for (let at = 0; at < 5; at++) order.push((await play(scenario, upTo(1))).blocks[0])
  expect(order.map((block) => (block as { text: string }).text).join('')).toBe('abbcc')
})

test('a fault is temporary: the first attempt of each agent fails, the second is answered', async () => {
  const scenario = director(`
steps:
  - once: true
    fault: { status: 429, retryAfter: 2 }
    reply: a
  - fault: { status: 529, times: 2 }
    reply: b
`)
  const other = { system: 'Another agent.' }
  expect((await play(scenario, upTo(1))).fault).toEqual({
    kind: 'status',
    status: 429,
    type: 'rate_limit_error',
    message: 'The scenario wants a 429.',
    retryAfterSeconds: 2,
  })
  expect((await play(scenario, upTo(1), other)).fault).toMatchObject({ status: 429 })
  expect(await play(scenario, upTo(1))).toEqual({ blocks: [{ type: 'text', text: 'a' }] })
  for (const fault of [{ status: 529, type: 'overloaded_error' }, { status: 529 }, undefined]) {
    const reply = await play(scenario, upTo(1), other)
    if (fault) expect(reply.fault).toMatchObject(fault)
    else expect(reply).toEqual({ blocks: [{ type: 'text', text: 'b' }] })
  }
  // The next turn is a new attempt.
  expect((await play(scenario, upTo(2), other)).fault).toMatchObject({ status: 529 })
})

test('a scenario has every kind of fault and every field of a reply', async () => {
  const scenario = director(`
steps:
  - turn: 1
    fault: { overloaded: in-stream, times: always }
    reply: x
  - { turn: 2, fault: { cutAfter: 3 }, reply: x }
  - { turn: 3, fault: { stallAfter: 0 }, reply: x }
  - { turn: 4, fault: { kind: no-stop }, reply: x }
  - { turn: 5, fault: { status: 400, type: my_error, message: My words }, reply: x }
  - { turn: 6, stop: refusal, delay: 20, silence: 30, pace: instant, cutInput: 4, reply: [{ tool: Bash }] }
  - { turn: 7, fault: { kind: no-start }, reply: x }
  - { turn: 8, fault: { kind: repeated-block }, reply: x }
`)
  const faultOf = async (turn: number) => (await play(scenario, upTo(turn))).fault
  for (let again = 0; again < 3; again++)
    expect(await faultOf(1)).toEqual({
      kind: 'stream-error',
      type: 'overloaded_error',
      message: 'Overloaded',
    })
  expect(await faultOf(2)).toEqual({ kind: 'cut', afterCharacters: 3 })
  expect(await faultOf(3)).toEqual({ kind: 'stall', afterCharacters: 0 })
  expect(await faultOf(4)).toEqual({ kind: 'no-stop' })
  expect(await faultOf(7)).toEqual({ kind: 'no-start' })
  expect(await faultOf(8)).toEqual({ kind: 'repeated-block' })
  expect(await faultOf(5)).toEqual({ kind: 'status', status: 400, type: 'my_error', message: 'My words' })
  expect(await play(scenario, upTo(6))).toEqual({
    blocks: [{ type: 'tool_use', name: 'Bash', input: {} }],
    stopReason: 'refusal',
    delayMs: 20,
    pace: 'instant',
    silenceMs: 30,
    truncateToolInput: 4,
  })
})

test('a gap in the scenario names the missing step', async () => {
  const scenario = director('steps: [{ turn: 1, reply: a }]')
  expect((await play(scenario, upTo(2, results('exit code 1')))).fault).toMatchObject({
    status: 400,
    message: expect.stringMatching(
      /no step for turn 2 of the agent with the task "Fix the bug".*"exit code 1"/,
    ),
  })
})

test('turns are played with the results of the earlier ones, and again for a new task', async () => {
  const guide = readFileSync(new URL('../../../../docs/scenarios.md', import.meta.url), 'utf8')
  const scenario = director([...guide.matchAll(/```yaml\n([\s\S]*?)```/g)][1]![1]!)
  const tools = [
    { name: 'Glob', description: '' },
    { name: 'Read', description: '' },
  ]
  const called = (...ids: readonly string[]): ScriptedMessage => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: {} })),
  })
  const result = (toolUseId: string, text: string, isError = false) =>
    ({ type: 'tool_result', toolUseId, text, isError }) as const
  const first = [says('Look')]
  expect((await play(scenario, first, { tools })).blocks).toEqual([
    { type: 'text', text: 'Which files are there?' },
    { type: 'tool_use', name: 'Glob', input: { pattern: '**/*.md' } },
  ])
  const listed = [
    ...first,
    called('a'),
    { role: 'user', content: [result('a', 'a.md\nlonger.md\nbc.md')] } as const,
  ]
  expect((await play(scenario, listed, { tools })).blocks).toEqual([
    { type: 'text', text: 'Reading `longer.md` and `bc.md`.' },
    { type: 'tool_use', name: 'Read', input: { file_path: 'longer.md', limit: 1 } },
    { type: 'tool_use', name: 'Read', input: { file_path: 'bc.md', limit: 1 } },
  ])
  const opened = (isError: boolean) => [
    ...listed,
    called('b', 'c'),
    { role: 'user', content: [result('b', '     1\tOne', isError), result('c', 'gone', true)] } as const,
  ]
  const text = async (messages: readonly ScriptedMessage[]) =>
    (await play(scenario, messages, { tools })).blocks
  expect(await text(opened(false))).toEqual([{ type: 'text', text: 'longer.md: One, bc.md: ' }])
  expect(await text(opened(true))).toEqual([{ type: 'text', text: 'There is nothing to read here.' }])
  expect((await text([...opened(false), said, says('Again')]))[0]).toMatchObject({
    text: 'Which files are there?',
  })
})

test('an expression chooses a step and fills its reply; an unknown name stays', async () => {
  const scenario = director(`
define:
  double: number => number + number
  words: [one, two]
steps:
  - if: words.includes(asked)
    let: { four: double(2) }
    reply: "{{four}} {{unknown}} {{words[0].missing()}}"
  - if: asked === 'list'
    reply: [{ tool: Bash, input: { command: "{{words}}", note: "{{words}}!" } }]
  - reply: "{{turn}} {{asked}} {{ {not an expression} }}"
`)
  expect((await play(scenario, [says('one')])).fault).toMatchObject({
    status: 400,
    message: 'Step 1 of the scenario fails: there is no method "missing"',
  })
  expect((await play(scenario, [says('list')])).blocks).toMatchObject([
    { input: { command: ['one', 'two'], note: 'one,two!' } },
  ])
  expect((await play(scenario, [says('three')])).blocks).toEqual([
    { type: 'text', text: '1 three {{ {not an expression} }}' },
  ])
})

test.each([
  ['steps:\n  - turns:\n      - reply: a\n    reply: b', 4, /steps\.0\.reply: .*either a reply or turns/],
  ['steps:\n  - reply: a\n    if: a b', 3, /steps\.0\.if: unexpected "b"/],
  ['define:\n  a: 1 +\nsteps: [{ reply: a }]', 2, /define\.a: the expression ends too early/],
  ['steps: [', 1, /flow/i],
  ['', 1, /expected object/],
  ['name: x\nsteps: []', 2, /steps: .*>=1/],
  ['steps:\n  - turn: 1\n    replay: a\n    reply: b', 3, /steps\.0\.replay: unknown field "replay"/],
  ['steps:\n  - reply: a\n  - turn: two\n    reply: b', 3, /steps\.1\.turn/],
  ['steps:\n  - reply: a\n    when: /(/', 3, /steps\.0\.when: Invalid regular expression/],
  [
    'steps:\n  - reply:\n      - tool: Bash\n        inputs: {}',
    4,
    /steps\.0\.reply\.0\.inputs: unknown field "inputs"/,
  ],
  [
    'steps:\n  - reply:\n      - tool: Bash\n        input: ls',
    4,
    /steps\.0\.reply\.0\.input: .*expected record/,
  ],
  ['steps:\n  - reply:\n      - words: hi', 3, /steps\.0\.reply\.0/],
  ['steps:\n  - reply: a\n    fault:\n      status: 200', 4, /steps\.0\.fault\.status: .*>=400/],
  ['steps:\n  - reply: a\n    fault: { kind: explode }', 3, /steps\.0\.fault\.kind/],
  ['steps:\n  - turn: 1', 2, /steps\.0\.reply/],
  ['steps:\n  - reply: a\n  - reply: b\n    once: yes please', 4, /steps\.1\.once: .*expected boolean/],
])('a mistake is reported with its line: %j', (yaml, line, words) => {
  const loaded = loadScenario(yaml)
  if (loaded.ok) throw new Error('it was taken')
  expect(loaded.failure.type).toBe('scenario')
  expect(loaded.failure.message).toContain(`in line ${line}:`)
  expect(loaded.failure.message).toMatch(words)
})

test('the example in the guide runs as the guide says', async () => {
  const guide = readFileSync(new URL('../../../../docs/scenarios.md', import.meta.url), 'utf8')
  const scenario = director(/```yaml\n([\s\S]*?)```/.exec(guide)![1]!)
  const started = await play(scenario, upTo(1))
  expect(started.blocks.map((block) => block.type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use'])
  const explorer = { system: 'You explore.' }
  const part = says('Part 2: list what is there.')
  expect((await play(scenario, [part], explorer)).fault).toMatchObject({ status: 429 })
  expect((await play(scenario, [part], explorer)).blocks).toMatchObject([
    { input: { command: 'ls | head -2' } },
  ])
  expect((await play(scenario, [part, said, results('a.txt')], explorer)).blocks).toEqual([
    { type: 'text', text: 'Part 2 holds this: a.txt' },
  ])
  expect((await play(scenario, upTo(2, results('reports')))).blocks).toEqual([
    { type: 'text', text: 'Both parts are listed above.' },
  ])
})
