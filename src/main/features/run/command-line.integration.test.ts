/** `troupe …` as users and scripts call it: output, exit code, and files left behind. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { upcastEvent } from '../../../shared/events/upcast-event.ts'
import { commandLine, fixture, jsonLines, processesWith } from '../../testing/command-line.ts'
import { PROGRAM } from '../../testing/program-file.ts'
import { startScriptedServer } from '../rehearsal/feature.ts'

/** The model of an agent's last answer; without an id, of any agent. */
function answeredBy({ events }: ReturnType<typeof jsonLines>, id: string | null = null): string | undefined {
  const answers = events.filter((event) => event.type === 'assistant-message')
  return answers.findLast(({ agentId }) => id === null || agentId === id)?.model
}

const HELLO = 'steps:\n  - reply: Hello to you.\n'

describe('wrong usage exits with 2 and explains', () => {
  test.each([
    [['dance'], 'Unknown command "dance". To open a folder, write ./dance. Options: troupe --help'],
    [['worktrees', 'prune'], 'Use troupe worktrees list, merge, discard or gc, not "prune".'],
    [['--dance'], 'Unknown option --dance.'],
    [['run'], 'The task is missing'],
    [['run', 'x', '--dance'], "Unknown option '--dance'"],
    [['run', 'x', '--agents', 'reviewer'], '--agents must be JSON'],
    [['run', 'x', '--rehearsal', '--agent-file', 'nowhere.md'], 'File not found: nowhere.md'],
    [['run', 'x', '--permission-mode', 'yolo'], 'Unknown permission mode "yolo". Use one of: default,'],
    [['run', 'x', '--max-turns', '0'], '--max-turns must be a whole number from 1'],
    [['run', 'x', '--max-tokens', 'many'], '--max-tokens must be a whole number from 1, such as'],
    [['run', 'x', '--max-usd', '0'], '--max-usd must be US dollars above 0, such as 2 or 0.50, not "0".'],
    [['run', 'x', '--max-minutes=-1'], '--max-minutes must be minutes above 0'],
    [['run', 'x', '--rehearsal', '--scenario', 'a.yaml'], 'exclude each other'],
    [['run', 'x', '--resume', 'c-1', '--agent', 'Plan'], '--agent is for a new conversation'],
    [['run', 'x', '--resume', 'c-1', '--coordinator'], '--coordinator is for a new conversation'],
    [['run', 'x', '--continue', '--agent', 'Plan'], '--agent is for a new conversation and can’t be'],
    [['run', 'x', '--continue', '--resume', 'c-1'], '--resume and --continue exclude each other'],
    [['run', 'x', '--rehearsal', '--continue'], 'has no conversation yet. Leave --continue out.'],
    [['run', 'x', '--rehearsal', '--until', 'true'], 'which is not trusted. Add --trust'],
    [['run', 'x', '--until', ' '], '--until is empty. Give a command'],
    [['run', 'x', '--max-rounds', '2'], '--max-rounds counts the rounds of --until or --output-schema'],
    [['run', 'x', '--until', 'true', '--max-rounds', 'many'], '--max-rounds must be a whole number from 0'],
    [['run', 'x', '--output-schema', 'nowhere.json'], '--output-schema nowhere.json: ENOENT'],
    [['run', 'x', '--output-schema', '{"type": "thing"}'], '--output-schema: schema is invalid'],
    [['run', 'x', '--coordinator', '--no-coordinator'], '--coordinator and --no-coordinator exclude'],
    [['run', 'x', '--coordinator', '--agent', 'Plan'], '--coordinator and --agent exclude each other'],
    [['agents', 'dance'], 'Use troupe agents list, lint, explain, approve, read or test, not "dance".'],
    [['conversations', 'show'], 'Use troupe conversations list, or troupe conversations show ID.'],
    [['run', 'x', '--rehearsal', '--cwd', 'nowhere'], 'nowhere is not a folder.'],
    [['run', 'x', '--scenario', 'nowhere.yaml'], 'nowhere.yaml'],
    [['run', 'x', '--rehearsal', '--agent', 'nobody'], 'There is no agent "nobody". Available: '],
    [['nowhere/'], 'nowhere is not a folder.'],
    [['run', 'x', '--allow'], "'--allow <value>' argument missing"],
    [['run', 'x', '--rehearsal', '--allow', 'Bash(ls'], '--allow: The rule "Bash(ls" has brackets'],
    [
      ['run', 'x', '--rehearsal', '--deny', 'Bash()'],
      '--deny: The rule "Bash()" has brackets that are empty or not balanced. Examples',
    ],
    [
      ['run', 'x', '--rehearsal', '--deny', 'Bsh(rm:*)'],
      '--deny: The rule "Bsh(rm:*)" names the unknown tool Bsh. Write "Bash(rm:*)". Examples',
    ],
    [['run', 'x', '--rehearsal', '--resume', 'c-nothing'], 'No conversation or agent has the id c-nothing'],
    [
      ['run', 'x', '--rehearsal', '--permission-mode', 'bypassPermissions'],
      'or for one run with --trust --mark-folder.',
    ],
  ])('troupe %j', async (args, message) => {
    const cli = await commandLine()
    const { code, output, errors } = await cli.run(args)
    expect(errors).toContain(message)
    expect(errors.trim().split('\n')).toHaveLength(errors.includes('can only read files') ? 2 : 1)
    expect({ code, output }).toEqual({ code: 2, output: '' })
  })

  test.each([
    ['run', 'x', '--rehearsal', '--cwd'],
    ['worktrees', 'list', '--cwd'],
    ['agents', 'list', '--cwd'],
    [],
  ])('a folder whose path has a line break (%j)', async (...args) => {
    const cli = await commandLine()
    await cli.write({ 'a\nb/x.txt': 'x' })
    const { code, errors } = await cli.run([...args, 'a\nb/'])
    expect(errors).toMatch(
      /^[^\n]*contains a line break, so git can't create worktrees[^\n]*\/a\\nb"\. Rename the folder\.\n$/,
    )
    expect(code).toBe(2)
  })

  test('an invalid scenario is refused with the line', async () => {
    const cli = await commandLine()
    const file = await cli.scenario('steps:\n  - reply: a\n    turns: 3\n')
    const { code, errors } = await cli.run(['run', 'x', '--scenario', file])
    expect(code).toBe(2)
    expect(errors).toMatch(/is not a valid scenario: .*line 3/)
  })
})

test('help and version work in every position', async () => {
  const cli = await commandLine()
  for (const args of [['--help'], ['help'], ['run', '--help'], ['run', 'x', '-h']]) {
    const { code, output } = await cli.run(args)
    expect(code).toBe(0)
    expect(output).toContain('troupe run [TASK')
  }
  const own = await cli.run(['nats', '--help'])
  expect(own.output).toMatch(/^troupe nats setup/)
  expect(own.output).not.toContain('troupe run [TASK')
  const { version } = JSON.parse(
    await readFile(join(import.meta.dirname, '../../../../package.json'), 'utf8'),
  )
  expect(await cli.run(['--version'])).toMatchObject({ code: 0, output: `${version}\n` })
})

describe('access to a model', () => {
  test('without access it exits with 3 and explains, before anything is written', async () => {
    const cli = await commandLine()
    const { code, output, errors } = await cli.run(['run', 'Fix it'])
    expect({ code, output }).toEqual({ code: 3, output: '' })
    expect(errors).toContain('Set ANTHROPIC_API_KEY, or add --rehearsal')
    expect(existsSync(join(cli.dataFolder, 'conversations'))).toBe(false)
  })

  test('a key or a token is used; a wrong one exits with 3 and the API’s message', async () => {
    const director = { reply: async () => ({ blocks: [{ type: 'text' as const, text: 'A model speaks.' }] }) }
    const server = await startScriptedServer({ director, requireKey: 'right' })
    onTestFinished(() => server.close())
    const cli = await commandLine()
    const at = { ANTHROPIC_BASE_URL: server.baseUrl }
    const [right, token, wrong] = await Promise.all([
      cli.run(['run', 'Hi'], { ...at, ANTHROPIC_API_KEY: 'right' }),
      cli.run(['run', 'Hi'], { ...at, ANTHROPIC_AUTH_TOKEN: 'right' }),
      cli.run(['run', 'Hi'], { ...at, ANTHROPIC_API_KEY: 'wrong' }),
    ])
    expect(right).toMatchObject({ code: 0, output: 'A model speaks.\n' })
    expect(token).toMatchObject({ code: 0, output: 'A model speaks.\n' })
    expect(wrong.code).toBe(3)
    expect(wrong.errors).toMatch(/x-api-key|authentication|key/i)
    expect(wrong.errors).toContain('add --rehearsal')
    expect(JSON.stringify(wrong) + JSON.stringify(right)).not.toMatch(/"(?:right|wrong)"/)
  })
})

describe('a model of another server', () => {
  const reply = { blocks: [{ type: 'text' as const, text: 'A model speaks.' }], model: 'gateway/llama' }
  async function runWith(...args: readonly string[]) {
    const server = await startScriptedServer({ director: { reply: async () => reply } })
    onTestFinished(() => server.close())
    const cli = await commandLine()
    const at = { ANTHROPIC_BASE_URL: server.baseUrl, ANTHROPIC_API_KEY: server.apiKey }
    return { ...(await cli.run(['run', 'Hi', '--model', 'local/llama', ...args], at)), server }
  }

  test('is used, and its cost is called unknown', async () => {
    const [text, json] = await Promise.all([runWith(), runWith('--json')])
    expect(text).toMatchObject({ code: 0, output: 'A model speaks.\n' })
    expect(text.errors).toContain('The cost is unknown: local/llama has no known price.')
    expect(jsonLines(json).result).toMatchObject({ ok: true, costUsd: null, knownCostUsd: 0 })
  })

  test('is refused under a money limit of the user, and ends at a token limit', async () => {
    const [money, tokens] = await Promise.all([runWith('--max-usd', '20'), runWith('--max-tokens', '5')])
    expect(money.code).toBe(1)
    expect(money.errors).toContain('local/llama has no known price')
    expect(money.server.requests).toEqual([])
    expect(tokens.code).toBe(0)
  })
})

describe('troupe run', () => {
  test('prints the report alone on standard output', async () => {
    const cli = await commandLine()
    const file = await cli.scenario(HELLO)
    expect(await cli.run(['run', 'Hi', '--scenario', file, '--trust'])).toEqual({
      code: 0,
      output: 'Hello to you.\n',
      errors: '',
    })
  })

  test('runs a command of the project with its arguments; one that does not exist starts nothing', async () => {
    const cli = await commandLine()
    await cli.write({
      '.claude/commands/ops/fix.md': 'Issue $1 here:\n!`cat note.txt`',
      'note.txt': 'from a file',
    })
    const file = await cli.scenario(
      'steps:\n  - when: "Issue 12 here:\\n<command-output"\n    reply: Fixed.\n  - reply: Nothing arrived.\n',
    )
    const run = (task: string) => cli.run(['run', task, '--scenario', file, '--trust'])
    const [fixed, unknown] = await Promise.all([run('/ops:fix 12'), run('/ops:fxi 12')])
    expect(fixed).toEqual({ code: 0, output: 'Fixed.\n', errors: '' })
    expect(unknown).toMatchObject({ code: 1, output: '' })
    expect(unknown.errors).toContain('Unknown command /ops:fxi. Similar: /ops:fix.')
  })

  test('begins a conversation as the settings say, with the limits of the command line', async () => {
    const cli = await commandLine(() => ({ effort: 'high', thinking: 'off', conversationUsd: 7 }))
    const file = await cli.scenario(HELLO)
    const ended = await cli.run([
      'run',
      'Hi',
      '--scenario',
      file,
      '--json',
      '--trust',
      '--max-tokens',
      '9000',
    ])
    const { events, result } = jsonLines(ended)
    expect(events[0]).toMatchObject({ type: 'agent-spawned', effort: 'high', thinking: 'off' })
    const log = join(cli.dataFolder, 'conversations', `${result.conversationId}.jsonl`)
    expect(await readFile(log, 'utf8')).toContain('"limits":{"tokens":9000,"usd":7,"ms":null,"spawns":null}')
  })

  test('--json prints events that can be read again, then the result', async () => {
    const cli = await commandLine()
    await cli.write({ 'a.txt': 'a\n' })
    const args = ['run', 'Look', '--scenario', fixture('twenty-four-agents'), '--json', '--trust']
    const ended = await cli.run(args)
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
    const text = await cli.run(['conversations', 'list'])
    expect(text.output).toContain(result.conversationId)
  })

  test('no text of a model, a user or the API controls the terminal, and --json is exact', async () => {
    const cli = await commandLine()
    const hostile = 'a\u001b]52;c;cm0gLXJm\u0007\u009b2J\u202eb\u007f\rc'
    const safe = 'a⟨ESC⟩]52;c;cm0gLXJm⟨BEL⟩⟨U+009B⟩2J⟨RLO⟩b⟨DEL⟩⟨CR⟩c'
    const file = await cli.scenario(`steps:\n  - reply: ${JSON.stringify(hostile)}\n`)
    const run = ['run', hostile, '--scenario', file]
    expect((await cli.run(run)).output).toBe(`${safe}\n`)
    const json = await cli.run([...run, '--json'])
    expect(jsonLines(json).result.report).toBe(hostile)
    const { conversationId } = jsonLines(json).result
    const listed = await cli.run(['conversations', 'list'])
    // A title has no control characters.
    expect(listed.output).toContain('  a]52;c;cm0gLXJm2Jbc')
    const shown = await cli.run(['conversations', 'show', conversationId])
    expect(shown.output).toContain(`> ${safe}\n${safe}\n`)
    const shownJson = await cli.run(['conversations', 'show', conversationId, '--json'])
    const fault = `steps:\n  - reply: ""\n    fault: { status: 400, message: ${JSON.stringify(hostile)}, times: always }\n`
    const refused = await cli.run(['run', 'Hi', '--scenario', await cli.scenario(fault)])
    expect(refused.errors).toContain(safe.slice(0, safe.indexOf('⟨CR⟩')))
    const unknown = await cli.run([hostile])
    expect(unknown.errors).toContain(safe)
    for (const { output, errors } of [json, listed, shown, shownJson, refused, unknown])
      expect(`${output}${errors}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  test('a failed main agent exits with 1, and the result says so', async () => {
    const cli = await commandLine()
    const fault = 'steps:\n  - reply: ""\n    fault: { status: 400, message: No way., times: always }\n'
    const ended = await cli.run(['run', 'Hi', '--scenario', await cli.scenario(fault), '--json'])
    expect(ended.code).toBe(1)
    expect(ended.errors).toContain('No way.')
    expect(jsonLines(ended).result).toMatchObject({ ok: false, report: '' })
  })

  test('a permission request is denied with a remedy, and a mode that allows the call works', async () => {
    const cli = await commandLine()
    const args = ['run', 'Go', '--scenario', fixture('questions'), '--json', '--trust']
    const refused = jsonLines(await cli.run(args))
    const answers = refused.events.flatMap((event) =>
      event.type === 'tool-ended' ? [String(event.content)] : [],
    )
    expect(answers[0]).toContain('So would the mode acceptEdits.')
    expect(answers[1]).toContain('The rule Bash(touch made-by-a-command.txt) would allow this')
    expect(answers[2]).toContain('The rule Read(//etc/hostname) would allow this')
    expect(answers[2]).not.toContain('acceptEdits')
    expect(await readdir(cli.folder)).toEqual([])
    expect((await cli.run([...args, '--permission-mode', 'acceptEdits'])).code).toBe(0)
    expect(await readdir(cli.folder)).toEqual(['greeting.txt'])
  })

  test('an untrusted folder is read only, with a message', async () => {
    const cli = await commandLine()
    const args = ['run', 'Go', '--scenario', fixture('questions'), '--permission-mode', 'acceptEdits']
    const { errors } = await cli.run(args)
    expect(errors).toContain(
      'is not trusted, so agents can only read files in it and cannot run commands. Add --trust',
    )
    expect(await readdir(cli.folder)).toEqual([])
    expect((await cli.run([...args, '--trust'])).errors).not.toContain('is not trusted')
    expect(await readdir(cli.folder)).toEqual(['greeting.txt'])
  })

  test('--resume takes the id of the main agent or of the conversation', async () => {
    const cli = await commandLine()
    const file = await cli.scenario(
      'steps:\n  - turn: 1\n    reply: One.\n  - turn: 2\n    when: /second/\n    reply: Two.\n  - turn: 3\n    when: /third/\n    reply: Three.\n  - turn: 4\n    reply: Four.\n',
    )
    const first = jsonLines(await cli.run(['run', 'first', '--scenario', file, '--json']))
    const mainId = first.result.agents[0]?.id ?? ''
    const run = (task: string, id: string) => cli.run(['run', task, '--scenario', file, '--resume', id])
    expect(await run('second', mainId)).toMatchObject({ code: 0, output: 'Two.\n' })
    expect(await run('third', first.result.conversationId)).toMatchObject({ code: 0, output: 'Three.\n' })

    const again = ['run', 'third', '--scenario', file, '--resume', mainId, '--cwd']
    expect(await cli.run([...again, '.'])).toMatchObject({ code: 0, output: 'Four.\n' })
    expect(await cli.run([...again, cli.home])).toMatchObject({
      code: 2,
      errors: expect.stringContaining(`works in ${cli.folder}. Leave --cwd out`),
    })

    const list = await cli.run(['conversations', 'list', '--json'])
    expect(list.output.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(list.output)).toMatchObject({ id: first.result.conversationId, title: 'first' })
    const shown = await cli.run(['conversations', 'show', first.result.conversationId])
    for (const text of ['> first', 'One.', '> second', 'Two.', '> third', 'Three.'])
      expect(shown.output).toContain(text)
    const unknown = await cli.run(['conversations', 'show', 'c-nothing'])
    expect(unknown.code).toBe(1)
  })

  test('--resume takes the id of a subagent, too, and prints its report', async () => {
    const cli = await commandLine()
    const file = await cli.scenario(`steps:
  - agent: Look here
    when: And there
    reply: There is nothing there.
  - agent: Look here
    reply: It is here.
  - turn: 1
    reply: [{ tool: Agent, input: { description: Look, prompt: Look here. } }]
  - reply: Found.
`)
    const first = jsonLines(await cli.run(['run', 'Go', '--json', '--scenario', file])).result
    const subagent = first.agents.find(({ parentId }) => parentId !== null)
    const again = await cli.run(['run', 'And there?', '--scenario', file, '--resume', subagent?.id ?? ''])
    expect({ code: again.code, output: again.output }).toEqual({
      code: 0,
      output: 'There is nothing there.\n',
    })
  })

  test('--model changes the model of the resumed agent alone', async () => {
    const cli = await commandLine()
    const file = await cli.scenario(`steps:
  - agent: Look here
    reply: It is here.
  - turn: 1
    reply: [{ tool: Agent, input: { description: Look, prompt: Look here. } }]
  - reply: Found.
`)
    const first = jsonLines(await cli.run(['run', 'Go', '--json', '--scenario', file]))
    const main = first.result.agents.find(({ parentId }) => parentId === null)?.id ?? ''
    const subagent = first.result.agents.find(({ parentId }) => parentId !== null)?.id ?? ''
    const usual = answeredBy(first, main)
    const again = async (id: string, ...model: readonly string[]) => {
      const args = ['run', 'And there?', '--json', '--scenario', file, '--resume', id, ...model]
      return answeredBy(jsonLines(await cli.run(args)), id)
    }
    expect(await again(subagent, '--model', 'haiku')).toBe('claude-haiku-5-5')
    expect(await again(main)).toBe(usual)
    expect(await again(subagent)).toBe('claude-haiku-5-5')
    expect(await again(main, '--model', 'opus')).toBe('claude-opus-5-5')
    expect(await again(subagent)).toBe('claude-haiku-5-5')
  })

  test('--agent uses the model of its file, unless --model names one', async () => {
    const cli = await commandLine()
    await cli.write({
      '.claude/agents/fork.md': '---\nname: fork\ndescription: d\nmodel: opus\nforkContext: true\n---\n',
    })
    const file = await cli.scenario('steps:\n  - reply: Done.\n')
    const modelOf = async (...more: string[]) =>
      answeredBy(jsonLines(await cli.run(['run', 'Go', '--json', '--trust', '--scenario', file, ...more])))
    const usual = await modelOf()
    expect(await modelOf('--agent', 'Plan')).toBe(usual)
    expect(await modelOf('--agent', 'Explore')).toBe('claude-haiku-5-5')
    expect(await modelOf('--agent', 'Explore', '--model', 'opus')).toBe('claude-opus-5-5')
    expect(await modelOf('--agent', 'fork')).toBe('claude-opus-5-5')
  })

  test('an agent that is not in use because of a misspelled key is named with the reason', async () => {
    const cli = await commandLine()
    const misspelled = (name: string) => `---\nname: ${name}\ndescription: d\npermisionMode: plan\n---\n`
    await cli.write({
      '.claude/agents/main.md': misspelled('main'),
      '.claude/agents/careful.md': misspelled('careful'),
    })
    const file = await cli.scenario('steps:\n  - reply: Done.\n')
    const run = (...more: string[]) => cli.run(['run', 'Go', '--trust', '--scenario', file, ...more])
    const careful = await run('--agent', 'Careful')
    expect(careful.code).not.toBe(0)
    expect(careful.errors).toMatch(
      /There is no agent "Careful"\. .*careful\.md:4 is not in use\. Unknown key permisionMode\./,
    )
    const { events } = jsonLines(await run('--json'))
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'notice',
        level: 'warning',
        text: expect.stringContaining('main.md:4 is not in use. Unknown key'),
      }),
    )
    expect(await run()).toMatchObject({
      code: 0,
      errors: expect.stringContaining('main.md:4 is not in use.'),
    })
  })

  test('--resume applies another permission mode, and trusts the conversation’s folder', async () => {
    const cli = await commandLine()
    const file = await cli.scenario(
      'steps:\n  - turn: 1\n    reply: One.\n  - turn: 2\n    reply:\n      - tool: Write\n        input: { file_path: a.txt, content: a }\n  - reply: "{{results}}"\n',
    )
    const first = jsonLines(await cli.run(['run', 'first', '--scenario', file, '--json']))
    const again = ['run', 'again', '--scenario', file, '--resume', first.result.conversationId]
    const { output } = await cli.run([...again, '--permission-mode', 'acceptEdits', '--trust'])
    expect(output).toContain('a.txt')
    expect(await readdir(cli.folder)).toEqual(['a.txt'])
  })

  describe('permissions for one run', () => {
    const RUNS =
      'steps:\n  - turn: 1\n    reply:\n      - tool: Bash\n        input: { command: touch a.txt, description: Make a file }\n  - reply: "{{results}}"\n'

    test('--allow allows exactly these calls, and is not saved', async () => {
      const cli = await commandLine()
      const args = ['run', 'Go', '--trust', '--scenario', await cli.scenario(RUNS)]
      await cli.run([...args, '--allow', 'Bash(ls:*)', '--allow', 'Bash(touch a.txt)'])
      expect(await readdir(cli.folder)).toEqual(['a.txt'])
      await cli.run([
        'run',
        'Go',
        '--trust',
        '--scenario',
        await cli.scenario(RUNS.replace('a.txt', 'b.txt')),
      ])
      expect(await readdir(cli.folder)).toEqual(['a.txt'])
    })

    test('--deny denies in every mode, also what another rule allows', async () => {
      const cli = await commandLine()
      const args = ['run', 'Go', '--trust', '--mark-folder', '--permission-mode', 'bypassPermissions']
      const file = await cli.scenario(RUNS)
      const denied = await cli.run([
        ...args,
        '--scenario',
        file,
        '--allow',
        'Bash',
        '--deny',
        'Bash(touch:*)',
      ])
      expect(denied.output).toContain('Denied by the rule Bash(touch:*) in the command line (--deny).')
      expect(await readdir(cli.folder)).toEqual([])
      await cli.run([...args, '--scenario', file])
      expect(await readdir(cli.folder)).toEqual(['a.txt'])
    })
  })

  test('--max-turns asks for the report after N turns, and exits with 4 like every limit', async () => {
    const cli = await commandLine()
    const file = await cli.scenario(
      'steps:\n  - tools: false\n    reply: My report.\n  - reply:\n      - tool: Glob\n        input: { pattern: "*" }\n',
    )
    const args = ['run', 'Go', '--scenario', file, '--max-turns', '2']
    const ended = await cli.run([...args, '--json'])
    expect(ended.code).toBe(4)
    expect(jsonLines(ended).result).toMatchObject({
      ok: false,
      report: 'My report.',
      stoppedAt: { limit: 'turns', of: 'agent', most: 2 },
      // It called a tool instead of its report, and was asked once more without tools.
      agents: [{ turns: 4, reachedLimit: 'turns' }],
    })
    const plain = await cli.run(args)
    expect(plain).toMatchObject({ code: 4, output: 'My report.\n' })
    expect(plain.errors.trim().split('\n').at(-1)).toMatch(
      /^troupe: Stopped at the agent's limit of 2 turns\. Turns count from each message\. To resume: troupe run "…" --resume a-\S+$/,
    )
    const again = ['run', 'More', '--scenario', await cli.scenario(HELLO), '--resume']
    expect(await cli.run([...again, jsonLines(ended).result.conversationId])).toMatchObject({ code: 0 })
  })

  test('--max-tokens ends the run with a report, exit code 4, and a hint to resume', async () => {
    const cli = await commandLine()
    const file = await cli.scenario(
      'steps:\n  - tools: false\n    reply: As far as I came.\n  - turn: 9\n    reply: Done.\n  - reply:\n      - tool: Glob\n        input: { pattern: "*" }\n',
    )
    const args = ['run', 'Go', '--scenario', file, '--max-tokens', '1000']
    const plain = await cli.run(args)
    expect(plain).toMatchObject({ code: 4, output: 'As far as I came.\n' })
    expect(plain.errors).toMatch(
      /Stopped at the conversation's limit of 1,000 tokens\. To resume .* --resume a-\S+ --max-tokens N/,
    )
    const ended = await cli.run([...args, '--json'])
    expect(ended.code).toBe(4)
    expect(jsonLines(ended).result).toMatchObject({
      ok: false,
      report: 'As far as I came.',
      stoppedAt: { limit: 'tokens', of: 'conversation', most: 1000 },
    })
    const again = ['run', 'More', '--scenario', file, '--resume', jsonLines(ended).result.conversationId]
    expect((await cli.run([...again, '--max-tokens', '10M', '--json'])).code).toBe(0)
  })
})

test('the rehearsal surveys a real folder and reports', async () => {
  const cli = await commandLine()
  await cli.write({
    'package.json': '{\n  "name": "zebra",\n  "scripts": { "test": "node --test" }\n}\n',
    'src/stripes.js': 'export function countStripes() {\n  // FIXME: zebras at night\n  return 80\n}\n',
  })
  cli.git('init', '-q')
  cli.git('add', '-A')
  cli.git('commit', '-q', '-m', 'The first zebra')
  const { code, output, errors } = await cli.run([
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
  expect(output).toContain('It was not run: Permission denied: this run has no user to ask')
  expect(errors).toMatch(/^Bash \(History and churn\): Bash git log/m)
  expect(errors).toMatch(/^Explore \(Entry points and layout\): completed$/m)
})

describe('Ctrl+C', () => {
  const task = ['run', 'Please wait', '--scenario', fixture('patience'), '--json', '--trust']
  const sleeps = () => [...processesWith('sleep 307.25'), ...processesWith('sleep 308.25')]

  test('stops the agents and their commands cleanly', async () => {
    const cli = await commandLine()
    const running = cli.start(task)
    await running.said(/"tool-started".*308\.25/)
    await expect.poll(() => sleeps()).not.toEqual([])
    running.child.kill('SIGINT')
    const ended = await running.ended
    expect(ended.code).toBe(130)
    expect(sleeps()).toEqual([])
    const { events, result } = jsonLines(ended)
    expect(result.ok).toBe(false)
    expect(result.agents.map(({ status }) => status)).toEqual(['stopped', 'stopped'])
    expect(events.filter(({ type }) => type === 'agent-ended')).toHaveLength(2)
    expect(ended.errors).toContain(`--resume ${result.agents[0]?.id}`)

    const after = await cli.run([
      'run',
      'Go on',
      '--scenario',
      fixture('patience'),
      '--resume',
      result.conversationId,
    ])
    expect(after).toMatchObject({ code: 0 })
  })

  test('twice exits at once, and kills processes that ignore signals', async () => {
    const cli = await commandLine((folder) => ({ trustedFolders: [folder], bypassFolders: [folder] }))
    const deaf = () => processesWith('sleep 309.25').filter((line) => line.startsWith('sleep'))
    const running = cli.start([
      'run',
      'Go',
      '--scenario',
      await cli.scenario(
        `steps:\n  - turn: 1\n    reply:\n      - tool: Bash\n        input: { command: "trap '' TERM INT; echo deaf; while :; do sleep 309.25; done" }\n  - reply: x\n`,
      ),
      '--permission-mode',
      'bypassPermissions',
      '--json',
    ])
    await running.said(/"tool-started"/)
    await expect.poll(() => deaf()).not.toEqual([])
    running.child.kill('SIGINT')
    await running.said(/Press Ctrl\+C again to exit at once/)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    await expect.poll(() => deaf()).toEqual([])
  })

  test('works even after the output pipe was closed', async () => {
    const cli = await commandLine()
    const running = cli.start(task)
    await running.said(/"tool-started".*308\.25/)
    running.child.stdout.destroy()
    running.child.kill('SIGTERM')
    const { code, errors } = await running.ended
    expect(code).toBe(130)
    expect(errors).not.toMatch(/EPIPE|Error:/)
    await expect.poll(() => sleeps()).toEqual([])
  })
})

describe('the data folder', () => {
  const conversationsIn = async (dataFolder: string) =>
    (await readdir(join(dataFolder, 'conversations'))).filter((name) => name.endsWith('.jsonl'))

  test('is the same as the window’s, or TROUPE_HOME', async () => {
    const cli = await commandLine()
    const args = ['run', 'Hi', '--scenario', await cli.scenario(HELLO)]
    await cli.run(args, { TROUPE_HOME: '' })
    expect(await conversationsIn(join(cli.home, '.config', 'troupe'))).toHaveLength(1)
    await cli.run(args, { TROUPE_HOME: '', XDG_CONFIG_HOME: join(cli.home, 'xdg') })
    expect(await conversationsIn(join(cli.home, 'xdg', 'troupe'))).toHaveLength(1)
    await cli.run(args, { TROUPE_HOME: 'here' })
    expect(await conversationsIn(join(cli.folder, 'here'))).toHaveLength(1)
  })

  const inNamespace = (script: string, ...args: readonly string[]) =>
    spawnSync('unshare', ['-Urm', 'sh', '-ec', script, 'sh', ...args], { encoding: 'utf8' })

  test.runIf(inNamespace('true').status === 0)('on a read-only disk is called read-only', async () => {
    const cli = await commandLine()
    const script = `mount -t tmpfs none "$1"; mkdir "$1/data"; mount -o remount,ro "$1"
TROUPE_HOME="$1/data$5" exec "$2" "$3" run Hi --scenario "$4"`
    for (const below of ['', '/new']) {
      const file = await cli.scenario(HELLO)
      const { status, stderr } = inNamespace(script, cli.home, process.execPath, PROGRAM, file, below)
      expect(stderr).toMatch(
        /^troupe: The conversation can’t be opened for writing: the disk is read-only \(.*\)\. Make it writable again, then try again\.$/m,
      )
      expect(status).not.toBe(0)
    }
  })
})

describe('coordinator mode', () => {
  const run = ['run', 'Go', '--scenario', fixture('coordinator'), '--trust']
  const PHASES = ['research', 'synthesis', 'implementation', 'verification']

  test('names its phases in the progress, the events and the list of a conversation', async () => {
    const cli = await commandLine()
    await cli.write({ 'src/charge.js': 'x\n', 'test.js': 'x\n' })
    const [plain, json] = await Promise.all([
      cli.run([...run, '--coordinator']),
      cli.run([...run, '--coordinator', '--json', '--permission-mode', 'acceptEdits']),
    ])
    const lines = plain.errors.split('\n').filter((line) => line.startsWith('Phase '))
    expect(lines.map((line) => line.replace(/:.*/, ''))).toEqual(
      PHASES.map((phase, index) => `Phase ${index + 1} of 4, ${phase}`),
    )
    const events = json.output
      .split('\n')
      .filter(Boolean)
      .map((line): { type: string; phase?: string; note?: string } => JSON.parse(line))
    expect(events.flatMap(({ type, phase }) => (type === 'phase-changed' ? [phase] : []))).toEqual(PHASES)
    const { conversationId } = jsonLines(json).result
    const shown = await cli.run(['conversations', 'show', conversationId])
    expect(
      shown.output
        .split('\n')
        .slice(0, 4)
        .map((line) => line.split(/\s+/)[1]),
    ).toEqual(PHASES)
    expect(shown.output).toContain('Find out how orders are charged and tested.')
  })

  const MERGING = `steps:
  - agent: /You are the coordinator/
    turn: 1
    reply:
      - tool: SetPhase
        input: { phase: research }
      - tool: SetPhase
        input: { phase: synthesis }
      - tool: SetPhase
        input: { phase: implementation }
      - tool: Agent
        input: { description: Write it, name: ada, subagent_type: general-purpose, prompt: Write it, isolation: worktree }
  - agent: /You are the coordinator/
    turn: 2
    reply:
      - tool: MergeWorktree
        input: { agent_id: ada }
  - agent: /You are the coordinator/
    reply: "Ended: {{results}}"
  - turn: 1
    reply:
      - tool: Bash
        input: { command: "echo new > new.txt && git add new.txt && git commit -qm New" }
  - reply: Written.
`

  async function inRepository() {
    const cli = await commandLine()
    await cli.write({ 'a.txt': 'a\n' })
    cli.git('init', '-q', '-b', 'main')
    cli.git('add', '.')
    cli.git('commit', '-qm', 'Begin')
    return cli
  }

  test('merges without a user, and leaves no branch', async () => {
    const cli = await inRepository()
    const file = await cli.scenario(MERGING)
    const ended = await cli.run([
      'run',
      'Go',
      '--scenario',
      file,
      '--trust',
      '--coordinator',
      '--json',
      '--allow',
      'Bash',
    ])
    expect(jsonLines(ended).result).toMatchObject({ ok: true, unmerged: [] })
    expect(ended.code).toBe(0)
    expect(existsSync(join(cli.folder, 'new.txt'))).toBe(true)
  })

  test('fails over a branch that stays unmerged, and says so before the work', async () => {
    const cli = await inRepository()
    const file = await cli.scenario(MERGING)
    const deny = ['--allow', 'Bash', '--deny', 'MergeWorktree']
    const ended = await cli.run([
      'run',
      'Go',
      '--scenario',
      file,
      '--trust',
      '--coordinator',
      '--json',
      ...deny,
    ])
    expect(jsonLines(ended).result).toMatchObject({
      ok: false,
      unmerged: [{ branch: expect.stringContaining('troupe/') }],
    })
    expect(ended.code).toBe(7)
    expect(ended.errors).toContain("The coordinator can't merge branches in this run")
    expect(ended.errors).toContain('troupe worktrees merge BRANCH')
    expect(existsSync(join(cli.folder, 'new.txt'))).toBe(false)
  })

  test.each([
    ['the environment', { CLAUDE_CODE_COORDINATOR_MODE: '1' }, {}, [], 'coordinator'],
    ['env of the user’s settings', {}, { home: true }, [], 'coordinator'],
    ['the setting', {}, { setting: true }, [], 'coordinator'],
    ['only a project', {}, { project: true }, [], 'main'],
    ['the environment, but not the call', { TROUPE_COORDINATOR_MODE: '1' }, {}, ['--no-coordinator'], 'main'],
    [
      'the environment, with an agent of the user',
      { TROUPE_COORDINATOR_MODE: '1' },
      {},
      ['--agent', 'guide'],
      'guide',
    ],
    ['the setting, but not the environment', { TROUPE_COORDINATOR_MODE: '0' }, { setting: true }, [], 'main'],
  ] as const)('is chosen by %s', async (_, environment, files, more, name) => {
    const cli = await commandLine(() => ({ coordinatorMode: 'setting' in files }))
    const env = JSON.stringify({ env: { CLAUDE_CODE_COORDINATOR_MODE: '1' } })
    if ('project' in files)
      await cli.write({ '.claude/settings.json': env, '.claude/settings.local.json': env })
    if ('home' in files) {
      await mkdir(join(cli.home, '.claude'))
      await writeFile(join(cli.home, '.claude', 'settings.json'), env)
    }
    const file = await cli.scenario(HELLO)
    const ended = await cli.run(['run', 'Hi', '--scenario', file, '--trust', '--json', ...more], environment)
    expect(jsonLines(ended).result.agents[0]?.type).toBe(name)
  })
})

describe('a usage limit of the API', () => {
  /** The first request is refused for `seconds`, the next ones are answered. */
  async function limitedFor(seconds: number, ...args: readonly string[]) {
    let asked = 0
    const fault = {
      kind: 'status' as const,
      status: 429,
      type: 'rate_limit_error',
      message: 'Usage limit reached.',
    }
    const server = await startScriptedServer({
      director: {
        reply: async () =>
          asked++ === 0
            ? { blocks: [], fault: { ...fault, retryAfterSeconds: seconds } }
            : { blocks: [{ type: 'text' as const, text: 'Done.' }] },
      },
    })
    onTestFinished(() => server.close())
    const cli = await commandLine()
    const at = { ANTHROPIC_BASE_URL: server.baseUrl, ANTHROPIC_API_KEY: server.apiKey }
    return { cli, started: cli.start(['run', 'Hi', ...args], at), server }
  }

  test('ends the run with its time and exit code 4', async () => {
    const { started, server } = await limitedFor(7200)
    const { code, errors } = await started.ended
    expect(code).toBe(4)
    expect(errors).toMatch(/Rate limited until .*\(in 2 h\)\. The agents are stopped\./)
    expect(errors).toContain('add --wait-for-limit')
    expect(errors).toContain('--resume a-')
    expect(server.requests).toHaveLength(1)
  })

  test('is waited for with --wait-for-limit', async () => {
    const { started, server } = await limitedFor(7200, '--wait-for-limit')
    await started.said(/Rate limited until .*\(in 2 h\)/)
    expect(server.requests).toHaveLength(1)
    started.child.kill('SIGINT')
    expect((await started.ended).code).toBe(130)
  })
})
