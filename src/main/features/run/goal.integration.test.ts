/** `troupe run` with a goal: a check that must pass, a report of a given form; and `--continue`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defaultSandboxSettings } from '../../../shared/settings/sandbox-settings.ts'
import { commandLine, jsonLines } from '../../testing/command-line.ts'
import { hasSandbox } from '../sandbox/testing/sandboxed-shell.ts'

/** Says that it is done, and does it when it is told what failed. */
const LATE = `steps:
  - turn: 1
    reply: Done.
  - turn: 2
    reply:
      - tool: Write
        input: { file_path: answer.txt, content: "42\\n" }
  - reply: Now it is done.
`

const WORKS = ['--trust', '--permission-mode', 'acceptEdits']

/** All that agents were sent, with the events of the check. */
const sent = ({ events }: ReturnType<typeof jsonLines>) =>
  events.flatMap((event) =>
    event.type === 'user-message'
      ? event.content.map((part: { type: string; text?: string }) => part.text ?? part.type)
      : [],
  )

describe('--until', () => {
  test('what failed goes back to the agent with its output, until the check passes', async () => {
    const cli = await commandLine()
    const scenario = await cli.scenario(LATE)
    const check = 'cat answer.txt || { echo missing file; exit 3; }'
    const ended = await cli.run(['run', 'Go', '--until', check, ...WORKS, '--json', '--scenario', scenario])
    expect(ended.code, ended.errors).toBe(0)
    const lines = jsonLines(ended)
    expect(lines.result).toMatchObject({
      ...{ ok: true, report: 'Now it is done.' },
      goal: { rounds: 1, missed: null },
    })
    expect(
      lines.events.flatMap((event) =>
        event.type === 'user-command-ended' ? [[event.exitCode, event.output.includes('missing file')]] : [],
      ),
    ).toEqual([
      [3, true],
      [0, false],
    ])
    const [first, second, third] = sent(lines)
    expect(first).toBe('Go')
    expect(second).toContain(`this command runs in the folder: ${check}`)
    expect(third).toBe(
      `The check ${check} failed with exit code 3. Its output is attached. Correct what makes it fail, then report.`,
    )
    expect(ended.errors).toContain('Back to the agent (1 of 5).')
  })

  test('what still fails after the last round exits with 6; without rounds it is only checked', async () => {
    const cli = await commandLine()
    const scenario = await cli.scenario('steps:\n  - reply: Done.\n')
    const until = ['run', 'Go', '--until', 'exit 9', '--trust', '--scenario', scenario]
    const twice = await cli.run([...until, '--max-rounds', '2'])
    expect(twice).toMatchObject({ code: 6, output: 'Done.\n' })
    expect(twice.errors).toContain('The check exit 9 failed with exit code 9. It was sent back 2 times.')
    expect(twice.errors).toMatch(/To go on: troupe run "…" --resume c-/)
    const once = await cli.run([...until, '--max-rounds', '0', '--json'])
    expect(once.code).toBe(6)
    expect(jsonLines(once).result).toMatchObject({
      ok: false,
      goal: { rounds: 0, missed: 'The check exit 9 failed with exit code 9. It was sent back 0 times.' },
    })
  })

  test('a check that is denied is not repeated, and an agent at its limit is not checked', async () => {
    const cli = await commandLine()
    const scenario = await cli.scenario('steps:\n  - reply: Done.\n')
    const denied = await cli.run([
      ...['run', 'Go', '--until', 'npm test', '--deny', 'Bash(npm:*)', '--trust', '--scenario', scenario],
    ])
    expect(denied.code).toBe(6)
    expect(denied.errors).toContain('Not started: ')
    expect(denied.errors).not.toContain('Back to the agent')
    const busy = await cli.scenario(
      'steps:\n  - tools: false\n    reply: So far.\n  - reply:\n      - tool: Glob\n        input: { pattern: "*" }\n',
    )
    const limited = await cli.run([
      ...['run', 'Go', '--until', 'touch checked', '--max-turns', '2', ...WORKS, '--scenario', busy],
    ])
    expect(limited.code).toBe(4)
    expect(existsSync(join(cli.folder, 'checked'))).toBe(false)
  })

  test.runIf(hasSandbox)('the check runs what agents wrote, and so in their sandbox', async () => {
    const cli = await commandLine(() => ({ sandbox: defaultSandboxSettings }), '/var/tmp')
    const scenario = await cli.scenario(`steps:
  - turn: 1
    reply:
      - tool: Write
        input: { file_path: check.sh, content: "touch inside; touch ../outside; exit 5" }
  - reply: Done.
`)
    const ended = await cli.run([
      ...['run', 'Go', '--until', 'sh check.sh', '--max-rounds', '0', ...WORKS, '--scenario', scenario],
    ])
    expect(ended.code).toBe(6)
    expect(ended.errors).toContain('failed with exit code 5')
    expect(existsSync(join(cli.folder, 'inside'))).toBe(true)
    expect(existsSync(join(cli.folder, '../outside'))).toBe(false)
  })
})

describe('--output-schema', () => {
  const SCHEMA = '{"type": "object", "required": ["risk"], "properties": {"risk": {"enum": ["low", "high"]}}}'

  test('prints the value, after a wrong one went back', async () => {
    const cli = await commandLine()
    await cli.write({ 'schema.json': SCHEMA })
    const scenario = await cli.scenario(
      `steps:\n  - turn: 1\n    reply: '{"risk": "some"}'\n  - reply: '{"risk": "low"}'\n`,
    )
    const args = ['run', 'Go', '--output-schema', 'schema.json', '--trust', '--scenario', scenario]
    const plain = await cli.run(args)
    expect(plain).toMatchObject({ code: 0, output: '{"risk":"low"}\n' })
    const ended = await cli.run([...args, '--json'])
    const lines = jsonLines(ended)
    expect(lines.result).toMatchObject({ ok: true, output: { risk: 'low' }, goal: { rounds: 1 } })
    expect(sent(lines)[1]).toContain(`valid against this JSON Schema:\n${JSON.stringify(JSON.parse(SCHEMA))}`)
    expect(sent(lines)[2]).toContain('/risk must be equal to one of the allowed values: low,high.')
  })

  test('a report that stays wrong exits with 5 and is printed as text', async () => {
    const cli = await commandLine()
    const scenario = await cli.scenario('steps:\n  - reply: The risk is low.\n')
    const ended = await cli.run([
      ...['run', 'Go', '--output-schema', SCHEMA, '--max-rounds', '1', '--scenario', scenario],
    ])
    expect(ended).toMatchObject({ code: 5, output: 'The risk is low.\n' })
    expect(ended.errors).toContain('does not have the form of the schema. It is not JSON')
  })

  test('both goals hold: a check that passes does not excuse a wrong report', async () => {
    const cli = await commandLine()
    const scenario = await cli.scenario(LATE)
    const ended = await cli.run([
      ...['run', 'Go', '--output-schema', SCHEMA, '--until', 'test -f answer.txt', '--max-rounds', '2'],
      ...[...WORKS, '--json', '--scenario', scenario],
    ])
    expect(ended.code).toBe(5)
    expect(jsonLines(ended).result.goal).toMatchObject({ rounds: 2 })
  })
})

test('--continue resumes the newest conversation of the folder', async () => {
  const cli = await commandLine()
  const scenario = await cli.scenario('steps:\n  - turn: 1\n    reply: One.\n  - reply: Two.\n')
  const run = (...more: readonly string[]) =>
    cli.run(['run', 'Go', '--json', '--scenario', scenario, ...more])
  const first = jsonLines(await run()).result.conversationId
  const second = jsonLines(await run()).result.conversationId
  const again = jsonLines(await run('--continue')).result
  expect(again).toMatchObject({ conversationId: second, report: 'Two.' })
  expect(first).not.toBe(second)
  await cli.write({ 'other/x.txt': '' })
  expect((await run('--continue', '--cwd', 'other')).code).toBe(2)
})
