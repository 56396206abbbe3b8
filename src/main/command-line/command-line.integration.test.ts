/** `troupe …` as people and scripts use it: what it prints, how it ends, and what it leaves behind. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { upcastEvent } from '../../shared/upcast-event.ts'
import { startScriptedServer } from '../adapters/rehearsal/scripted-server.ts'
import { commandLine, fixture, jsonLines, processesWith } from './testing/command-line.ts'

const HELLO = 'steps:\n  - reply: Hello to you.\n'

describe('what is asked wrongly ends with 2 and says what is right', () => {
  test.each([
    [['dance'], 'There is no command "dance".'],
    [['worktrees', 'prune'], 'troupe worktrees knows list, merge, discard and gc, not "prune".'],
    [['--dance'], 'There is no option --dance.'],
    [['run'], 'Say what is to be done'],
    [['run', 'x', '--dance'], "Unknown option '--dance'"],
    [['run', 'x', '--agents', 'reviewer'], '--agents wants JSON'],
    [['run', 'x', '--rehearsal', '--agent-file', 'nowhere.md'], 'There is no file nowhere.md'],
    [['run', 'x', '--permission-mode', 'yolo'], 'There is no permission mode "yolo". There are: default,'],
    [['run', 'x', '--max-turns', '0'], '--max-turns wants a whole number from 1'],
    [['run', 'x', '--max-tokens', 'many'], '--max-tokens wants a whole number from 1, such as'],
    [['run', 'x', '--max-usd', '0'], '--max-usd wants US dollars above 0, such as 2 or 0.50, not "0".'],
    [['run', 'x', '--max-minutes=-1'], '--max-minutes wants minutes above 0'],
    [['run', 'x', '--rehearsal', '--scenario', 'a.yaml'], 'give one of them'],
    [['run', 'x', '--resume', 'c-1', '--agent', 'Plan'], '--agent is for a new conversation'],
    [['agents', 'dance'], 'troupe agents knows list, lint, explain and read, not "dance".'],
    [['conversations', 'show'], 'troupe conversations knows "list" and "show ID".'],
    [['run', 'x', '--rehearsal', '--cwd', 'nowhere'], 'nowhere is not a folder.'],
    [['run', 'x', '--scenario', 'nowhere.yaml'], 'nowhere.yaml'],
    [['run', 'x', '--rehearsal', '--agent', 'nobody'], 'There is no agent "nobody". Available: '],
    [['run', 'x', '--rehearsal', '--resume', 'c-nothing'], 'There is no conversation and no agent c-nothing'],
    [
      ['run', 'x', '--rehearsal', '--permission-mode', 'bypassPermissions'],
      'Mark the folder in the settings first',
    ],
  ])('troupe %j', async (words, says) => {
    const place = await commandLine()
    const { code, output, errors } = await place.run(words)
    expect(errors).toContain(says)
    expect({ code, output }).toEqual({ code: 2, output: '' })
  })

  test('a scenario that makes no sense is refused with the line', async () => {
    const place = await commandLine()
    const file = await place.scenario('steps:\n  - reply: a\n    turns: 3\n')
    const { code, errors } = await place.run(['run', 'x', '--scenario', file])
    expect(code).toBe(2)
    expect(errors).toMatch(/can't be played: .*line 3/)
  })
})

test('help and version are answered, wherever they stand', async () => {
  const place = await commandLine()
  for (const words of [['--help'], ['help'], ['run', '--help'], ['run', 'x', '-h']]) {
    const { code, output } = await place.run(words)
    expect(code).toBe(0)
    expect(output).toContain('troupe run TASK')
  }
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../../package.json'), 'utf8'))
  expect(await place.run(['--version'])).toMatchObject({ code: 0, output: `${version}\n` })
})

describe('access to a model', () => {
  test('without any it ends with 3 and says what to do, before anything is written', async () => {
    const place = await commandLine()
    const { code, output, errors } = await place.run(['run', 'Fix it'])
    expect({ code, output }).toEqual({ code: 3, output: '' })
    expect(errors).toContain('Set ANTHROPIC_API_KEY, or add --rehearsal')
    expect(existsSync(join(place.dataFolder, 'conversations'))).toBe(false)
  })

  test('a key or a token is used, a wrong one ends with 3 and the API’s words', async () => {
    const director = { reply: async () => ({ blocks: [{ type: 'text' as const, text: 'A model speaks.' }] }) }
    const server = await startScriptedServer({ director, requireKey: 'right' })
    onTestFinished(() => server.close())
    const place = await commandLine()
    const at = { ANTHROPIC_BASE_URL: server.baseUrl }
    const [right, token, wrong] = await Promise.all([
      place.run(['run', 'Hi'], { ...at, ANTHROPIC_API_KEY: 'right' }),
      place.run(['run', 'Hi'], { ...at, ANTHROPIC_AUTH_TOKEN: 'right' }),
      place.run(['run', 'Hi'], { ...at, ANTHROPIC_API_KEY: 'wrong' }),
    ])
    expect(right).toMatchObject({ code: 0, output: 'A model speaks.\n' })
    expect(token).toMatchObject({ code: 0, output: 'A model speaks.\n' })
    expect(wrong.code).toBe(3)
    expect(wrong.errors).toMatch(/x-api-key|authentication|key/i)
    expect(wrong.errors).toContain('add --rehearsal')
    expect(JSON.stringify(wrong) + JSON.stringify(right)).not.toMatch(/"(?:right|wrong)"/)
  })
})

describe('troupe run', () => {
  test('prints the report alone on standard output', async () => {
    const place = await commandLine()
    const file = await place.scenario(HELLO)
    expect(await place.run(['run', 'Hi', '--scenario', file, '--trust'])).toEqual({
      code: 0,
      output: 'Hello to you.\n',
      errors: '',
    })
  })

  test('--json prints events that can be read again, then the result', async () => {
    const place = await commandLine()
    await place.write({ 'a.txt': 'a\n' })
    const words = ['run', 'Look', '--scenario', fixture('twenty-four-agents'), '--json', '--trust']
    const ended = await place.run(words)
    expect(ended.code).toBe(0)
    const { events, result } = jsonLines(ended)
    for (const event of events) expect(upcastEvent(event).ok, JSON.stringify(event)).toBe(true)
    expect(result).toMatchObject({ type: 'result', ok: true, costUsd: 0 })
    expect(result.report).toMatch(/^All parts have come back:/)
    expect(result.agents).toHaveLength(25)
    const [main, ...others] = result.agents
    expect(main).toMatchObject({ type: 'main', parentId: null, status: 'completed', turns: 2 })
    expect(others.map(({ parentId }) => parentId)).toEqual(Array(24).fill(main?.id))
    expect(others.filter(({ status }) => status === 'failed').map(({ description }) => description)).toEqual([
      'Look at part 7',
    ])
    for (const agent of result.agents) {
      expect(agent.endedAt).toBeGreaterThanOrEqual(agent.startedAt)
      expect(agent.usage.output).toBeGreaterThan(0)
    }
    expect(result.usage.output).toBe(result.agents.reduce((sum, { usage }) => sum + usage.output, 0))
    expect(events.some(({ type }) => type === 'request-failed')).toBe(true)
    const text = await place.run(['conversations', 'list'])
    expect(text.output).toContain(result.conversationId)
  })

  test('a failed main agent ends with 1, and so says the result', async () => {
    const place = await commandLine()
    const fault = 'steps:\n  - reply: ""\n    fault: { status: 400, message: No way., times: always }\n'
    const ended = await place.run(['run', 'Hi', '--scenario', await place.scenario(fault), '--json'])
    expect(ended.code).toBe(1)
    expect(ended.errors).toContain('No way.')
    expect(jsonLines(ended).result).toMatchObject({ ok: false, report: '' })
  })

  test('what would ask is denied with what would allow it, and a mode that allows it does', async () => {
    const place = await commandLine()
    const words = ['run', 'Go', '--scenario', fixture('questions'), '--json', '--trust']
    const refused = jsonLines(await place.run(words))
    const answers = refused.events.flatMap((event) =>
      event.type === 'tool-ended' ? [String(event.content)] : [],
    )
    expect(answers[0]).toContain('The permission mode acceptEdits would allow it.')
    expect(answers[1]).toContain('The rule Bash(touch made-by-a-command.txt) would allow it')
    expect(answers[2]).toContain('The rule Read(//etc/hostname) would allow it')
    expect(answers[2]).not.toContain('acceptEdits')
    expect(await readdir(place.folder)).toEqual([])
    expect((await place.run([...words, '--permission-mode', 'acceptEdits'])).code).toBe(0)
    expect(await readdir(place.folder)).toEqual(['greeting.txt'])
  })

  test('a folder that is not trusted is only read, and that is said', async () => {
    const place = await commandLine()
    const words = ['run', 'Go', '--scenario', fixture('questions'), '--permission-mode', 'acceptEdits']
    const { errors } = await place.run(words)
    expect(errors).toContain('is not trusted: agents only read files in it and run no commands. Add --trust')
    expect(await readdir(place.folder)).toEqual([])
    expect((await place.run([...words, '--trust'])).errors).not.toContain('is not trusted')
    expect(await readdir(place.folder)).toEqual(['greeting.txt'])
  })

  test('--resume goes on, by the main agent’s id or the conversation’s', async () => {
    const place = await commandLine()
    const file = await place.scenario(
      'steps:\n  - turn: 1\n    reply: One.\n  - turn: 2\n    when: /second/\n    reply: Two.\n  - turn: 3\n    when: /third/\n    reply: Three.\n',
    )
    const first = jsonLines(await place.run(['run', 'first', '--scenario', file, '--json']))
    const mainId = first.result.agents[0]?.id ?? ''
    const run = (task: string, id: string) => place.run(['run', task, '--scenario', file, '--resume', id])
    expect(await run('second', mainId)).toMatchObject({ code: 0, output: 'Two.\n' })
    expect(await run('third', first.result.conversationId)).toMatchObject({ code: 0, output: 'Three.\n' })

    const list = await place.run(['conversations', 'list', '--json'])
    expect(list.output.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(list.output)).toMatchObject({ id: first.result.conversationId, title: 'first' })
    const shown = await place.run(['conversations', 'show', first.result.conversationId])
    for (const text of ['> first', 'One.', '> second', 'Two.', '> third', 'Three.'])
      expect(shown.output).toContain(text)
    const unknown = await place.run(['conversations', 'show', 'c-nothing'])
    expect(unknown.code).toBe(1)
  })

  test('--resume goes on with a subagent, too, and prints what it says', async () => {
    const place = await commandLine()
    const file = await place.scenario(`steps:
  - agent: Look here
    when: And there
    reply: There is nothing there.
  - agent: Look here
    reply: It is here.
  - turn: 1
    reply: [{ tool: Agent, input: { description: Look, prompt: Look here. } }]
  - reply: Found.
`)
    const first = jsonLines(await place.run(['run', 'Go', '--json', '--scenario', file])).result
    const subagent = first.agents.find(({ parentId }) => parentId !== null)
    const again = await place.run(['run', 'And there?', '--scenario', file, '--resume', subagent?.id ?? ''])
    expect({ code: again.code, output: again.output }).toEqual({
      code: 0,
      output: 'There is nothing there.\n',
    })
  })

  test('--resume takes another permission mode, and trusts the conversation’s own folder', async () => {
    const place = await commandLine()
    const file = await place.scenario(
      'steps:\n  - turn: 1\n    reply: One.\n  - turn: 2\n    reply:\n      - tool: Write\n        input: { file_path: a.txt, content: a }\n  - reply: "{{results}}"\n',
    )
    const first = jsonLines(await place.run(['run', 'first', '--scenario', file, '--json']))
    const again = ['run', 'again', '--scenario', file, '--resume', first.result.conversationId]
    const { output } = await place.run([...again, '--permission-mode', 'acceptEdits', '--trust'])
    expect(output).toContain('a.txt')
    expect(await readdir(place.folder)).toEqual(['a.txt'])
  })

  test('--max-turns asks for the report after so many turns', async () => {
    const place = await commandLine()
    const file = await place.scenario(
      'steps:\n  - tools: false\n    reply: My report.\n  - reply:\n      - tool: Glob\n        input: { pattern: "*" }\n',
    )
    const ended = await place.run(['run', 'Go', '--scenario', file, '--max-turns', '2', '--json'])
    expect(jsonLines(ended).result).toMatchObject({ ok: true, report: 'My report.' })
    expect(jsonLines(ended).result.agents[0]?.turns).toBe(3)
  })

  test('--max-tokens ends it with a report, 1, and words that say how to go on', async () => {
    const place = await commandLine()
    const file = await place.scenario(
      'steps:\n  - tools: false\n    reply: As far as I came.\n  - turn: 9\n    reply: Done.\n  - reply:\n      - tool: Glob\n        input: { pattern: "*" }\n',
    )
    const words = ['run', 'Go', '--scenario', file, '--max-tokens', '1000']
    const plain = await place.run(words)
    expect(plain).toMatchObject({ code: 1, output: 'As far as I came.\n' })
    expect(plain.errors).toMatch(
      /Stopped at the conversation's limit of 1,000 tokens\. To go on .* --resume a-\S+ --max-tokens N/,
    )
    const ended = await place.run([...words, '--json'])
    expect(ended.code).toBe(1)
    expect(jsonLines(ended).result).toMatchObject({
      ok: false,
      report: 'As far as I came.',
      stoppedAt: { limit: 'tokens', of: 'conversation', most: 1000 },
    })
    const again = ['run', 'More', '--scenario', file, '--resume', jsonLines(ended).result.conversationId]
    expect((await place.run([...again, '--max-tokens', '10M', '--json'])).code).toBe(0)
  })
})

test('the rehearsal looks through a real folder and tells what is there', async () => {
  const place = await commandLine()
  await place.write({
    'package.json': '{\n  "name": "zebra",\n  "scripts": { "test": "node --test" }\n}\n',
    'src/stripes.js': 'export function countStripes() {\n  // FIXME: zebras at night\n  return 80\n}\n',
  })
  place.git('init', '-q')
  place.git('add', '-A')
  place.git('commit', '-q', '-m', 'The first zebra')
  const { code, output, errors } = await place.run([
    'run',
    'Why does countStripes say 80?',
    '--rehearsal',
    '--trust',
  ])
  expect(code).toBe(0)
  expect(output).toContain('not by a model')
  expect(output).toContain('`src/stripes.js:1` `export function countStripes() {` is defined here')
  expect(output).toContain('`src/stripes.js:2` `// FIXME: zebras at night` is marked FIXME')
  expect(output).toContain('The first zebra')
  expect(output).toContain('It was not run: Nobody is there to answer')
  expect(errors).toMatch(/^Bash \(History and churn\): Bash git log/m)
  expect(errors).toMatch(/^Explore \(Entry points and layout\): completed$/m)
})

describe('Ctrl+C', () => {
  const task = ['run', 'Please wait', '--scenario', fixture('patience'), '--json', '--trust']
  const sleeps = () => [...processesWith('sleep 307.25'), ...processesWith('sleep 308.25')]

  test('stops the agents and their commands in good order', async () => {
    const place = await commandLine()
    const running = place.start(task)
    await running.said(/"tool-started".*308\.25/)
    await vi.waitFor(() => expect(sleeps()).not.toEqual([]), { timeout: 10_000 })
    running.child.kill('SIGINT')
    const ended = await running.ended
    expect(ended.code).toBe(130)
    expect(sleeps()).toEqual([])
    const { events, result } = jsonLines(ended)
    expect(result.ok).toBe(false)
    expect(result.agents.map(({ status }) => status)).toEqual(['stopped', 'stopped'])
    expect(events.filter(({ type }) => type === 'agent-ended')).toHaveLength(2)
    expect(ended.errors).toContain(`--resume ${result.agents[0]?.id}`)

    const after = await place.run([
      'run',
      'Go on',
      '--scenario',
      fixture('patience'),
      '--resume',
      result.conversationId,
    ])
    expect(after).toMatchObject({ code: 0 })
  })

  test('twice ends at once, and takes what does not listen with it', async () => {
    const place = await commandLine((folder) => ({ trustedFolders: [folder], bypassFolders: [folder] }))
    const deaf = () => processesWith('sleep 309.25').filter((line) => line.startsWith('sleep'))
    const running = place.start([
      'run',
      'Go',
      '--scenario',
      await place.scenario(
        `steps:\n  - turn: 1\n    reply:\n      - tool: Bash\n        input: { command: "trap '' TERM INT; echo deaf; while :; do sleep 309.25; done" }\n  - reply: x\n`,
      ),
      '--permission-mode',
      'bypassPermissions',
      '--json',
    ])
    await running.said(/"tool-started"/)
    await vi.waitFor(() => expect(deaf()).not.toEqual([]), { timeout: 10_000 })
    running.child.kill('SIGINT')
    await running.said(/Once more ends at once/)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    await vi.waitFor(() => expect(deaf()).toEqual([]), { timeout: 10_000 })
  })

  test('where nobody reads the output any more, it ends all the same', async () => {
    const place = await commandLine()
    const running = place.start(task)
    await running.said(/"tool-started".*308\.25/)
    running.child.stdout.destroy()
    running.child.kill('SIGTERM')
    const { code, errors } = await running.ended
    expect(code).toBe(130)
    expect(errors).not.toMatch(/EPIPE|Error:/)
    await vi.waitFor(() => expect(sleeps()).toEqual([]), { timeout: 10_000 })
  })
})

describe('where things are kept', () => {
  test('in the folder that the window uses too, or in TROUPE_HOME', async () => {
    const place = await commandLine()
    const words = ['run', 'Hi', '--scenario', await place.scenario(HELLO)]
    await place.run(words, { TROUPE_HOME: '' })
    expect(await readdir(join(place.home, '.config', 'troupe', 'conversations'))).toHaveLength(1)
    await place.run(words, { TROUPE_HOME: '', XDG_CONFIG_HOME: join(place.home, 'xdg') })
    expect(await readdir(join(place.home, 'xdg', 'troupe', 'conversations'))).toHaveLength(1)
    await place.run(words, { TROUPE_HOME: 'here' })
    expect(await readdir(join(place.folder, 'here', 'conversations'))).toHaveLength(1)
  })
})
