import { expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ContextReport } from '../../../shared/state/context-report.ts'
import { agentCall, childrenOf, script } from '../../runtime/testing/scripts.ts'
import { createTestRuntime } from '../../runtime/testing/test-runtime.ts'
import { parseLine } from '../../testing/parse-line.ts'
import { contextCommand } from './conversations-command.ts'

const troupe = createTestRuntime({
  script: script(
    [{ calls: [agentCall('one'), agentCall('two', { name: 'second' })] }, { text: 'Done.' }],
    () => ({ text: 'Found it.' }),
  ),
})

async function run(...args: readonly string[]) {
  const parsed = parseLine<Parameters<typeof contextCommand>[0]>(['context', ...args])
  if (!parsed.ok) throw new Error(parsed.failure.message)
  const [out, err]: [string[], string[]] = [[], []]
  const code = await contextCommand(parsed.value, {
    runtime: troupe.runtime,
    output: { write: (text) => void out.push(text) },
    errors: { write: (text) => void err.push(text) },
  })
  return { code, out: out.join(''), err: err.join('') }
}

test('prints the parts of the main agent or a named one, as text or JSON', async () => {
  const id = await troupe.begin('Look')
  await troupe.runtime.settled(id)
  const main = await run(id)
  expect(main).toMatchObject({ code: 0, err: '' })
  expect(main.out).toMatch(/^Context of main: about \d/)
  expect(main.out).toMatch(/^Tool results +\d+\n {2}Agent \(2\) /m)
  const second = await run(id, '--agent', 'second', '--json')
  const report = JSON.parse(second.out) as ContextReport & { readonly advice: unknown }
  const [one, two] = childrenOf(troupe).map(({ agentId }) => agentId)
  expect(report).toMatchObject({ agentId: two, basis: 'usage', window: 200_000, advice: [] })
  expect(JSON.parse((await run(id, '--agent', one ?? '', '--json')).out)).toMatchObject({ agentId: one })
})

test('says which agent or conversation is unknown', async () => {
  const id = await troupe.begin('Look')
  await troupe.runtime.settled(id)
  expect(await run(id, '--agent', 'nobody')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('No agent "nobody" is in this conversation.'),
  })
  expect(await run('none')).toMatchObject({ code: 1, out: '' })
  expect(parseLine(['context'])).toEqual(fail(expect.objectContaining({ type: 'usage' })))
  expect(parseLine(['context', 'a', '--json'])).toEqual(
    ok({ verb: 'context', id: 'a', agent: null, json: true }),
  )
})
