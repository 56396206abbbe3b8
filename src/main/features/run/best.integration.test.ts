/** `troupe best` with real git, real commands and an external agent. */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../testing/command-line.ts'

const EXAMPLE = join(import.meta.dirname, '../external-agents/backing/testing/example-agent.ts')

const ANSWERS = `steps:
  - agent: /You are quick/
    turn: 1
    reply:
      - tool: Write
        input: { file_path: answer.txt, content: "41\\n" }
  - agent: /You are careful/
    turn: 1
    reply:
      - tool: Write
        input: { file_path: answer.txt, content: "six by seven is\\n42\\n" }
  - agent: /You are (\\w+)/
    reply: I am {{1}}, and wrote the answer.
`

const definition = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Answers.\n${more}---\n\nYou are ${name}.\n`

async function withAgents(): Promise<CommandLine> {
  const cli = await commandLine((folder) => ({ trustedFolders: [folder] }))
  await cli.write({
    'package.json': JSON.stringify({ scripts: { test: 'no' } }),
    '../home/.claude/agents/quick.md': definition('quick'),
    '../home/.claude/agents/careful.md': definition('careful'),
    '../home/.claude/agents/outsider.md': definition(
      'outsider',
      `backing: acp\ncommand: ${process.execPath}\nargs: [${EXAMPLE}, files]\n`,
    ),
  })
  cli.git('init', '-q', '-b', 'main')
  cli.git('add', '-A')
  cli.git('commit', '-qm', 'First')
  return cli
}

const CHECK = 'test -f written.txt || grep -x 42 answer.txt'

test('three agents get one task; what passed is listed, and one is merged', async () => {
  const cli = await withAgents()
  const scenario = await cli.scenario(ANSWERS)
  const ended = await cli.run([
    ...['best', 'Write the answer to answer.txt', '--agents', 'quick,outsider,careful'],
    ...['--test', CHECK, '--permission-mode', 'acceptEdits', '--json', '--scenario', scenario],
  ])
  expect(ended.code, ended.errors).toBe(0)
  const lines = ended.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const result = lines.at(-1)
  expect(lines.filter(({ type }) => type === 'comparison-checked').length).toBe(9)
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: cli.folder, encoding: 'utf8' }).trim()
  expect(result).toMatchObject({
    type: 'result',
    ok: true,
    command: CHECK,
    base: head,
    attempts: [
      { agent: 'quick', status: 'completed', check: { state: 'failed', exitCode: 1 }, work: { files: 1 } },
      {
        agent: 'outsider',
        status: 'completed',
        tokens: null,
        costUsd: null,
        check: { state: 'passed' },
        work: { files: 1, insertions: 2, deletions: 0 },
      },
      {
        agent: 'careful',
        check: { state: 'passed', exitCode: 0, output: '42', changedFiles: false },
        report: expect.stringContaining('I am careful'),
      },
    ],
  })
  const [quick, outsider, careful] = result.attempts
  expect(result.passed).toEqual([outsider.agentId, careful.agentId])
  expect(new Set([quick.worktree, outsider.worktree, careful.worktree]).size).toBe(3)

  expect(await cli.run(['worktrees', 'merge', careful.worktree])).toMatchObject({ code: 0 })
  expect(await readFile(join(cli.folder, 'answer.txt'), 'utf8')).toBe('six by seven is\n42\n')
  const shown = await cli.run(['conversations', 'show', result.conversationId, '--json'])
  expect(shown.output).toContain(`merged the work of careful (${careful.agentId}) into main`)
})

test('the table names the best attempt; the check is suggested by the folder; without a passed one it fails', async () => {
  const cli = await withAgents()
  const scenario = await cli.scenario(ANSWERS)
  const given = ['--permission-mode', 'acceptEdits', '--scenario', scenario]
  const plain = await cli.run(['best', 'Write it', '--agents', 'quick,careful', '--no-test', ...given])
  expect(plain.code, plain.errors).toBe(0)
  expect(plain.output).toMatch(/^agent +model +state +check +time/m)
  expect(plain.output).toMatch(/^quick .*completed +– .* 1 file \+1 -0 +write-it-/m)
  expect(plain.output).toMatch(
    /2 attempts changed something; the smallest change is that of quick\. To merge it: troupe worktrees merge write-it-/,
  )

  const failed = await cli.run(['best', 'Write it', '--agents', 'quick,quick', ...given])
  expect(failed.errors).toContain('The check is npm test (from package.json).')
  expect(failed.code).toBe(1)
  expect(failed.output).toMatch(/^quick 1 .*failed \(exit \d+\)/m)
  expect(failed.output).toContain('No attempt passed.')
})

test('what is wrong is said before anything starts', async () => {
  const cli = await commandLine()
  cli.git('init', '-q')
  const wrong = async (...args: readonly string[]) => {
    const { code, errors } = await cli.run(['best', ...args, '--rehearsal'])
    return [code, errors]
  }
  expect(await wrong('Go')).toEqual([2, expect.stringContaining('Say which agents get the task')])
  expect(await wrong('Go', '--agents', 'main')).toEqual([
    2,
    expect.stringContaining('Give 2 to 8 agents, not 1'),
  ])
  expect(await wrong('Go', '--agents', 'a=,b')).toEqual([
    2,
    expect.stringContaining('is not a list of agents'),
  ])
  expect(await wrong('Go', '--agents', 'a,b')).toEqual([2, expect.stringContaining('is not trusted')])
  expect(await wrong('Go', '--agents', 'wizard,general-purpose', '--trust')).toEqual([
    2,
    expect.stringContaining('There is no agent "wizard"'),
  ])
})
