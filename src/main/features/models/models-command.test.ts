import { expect, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import type { ModelProbe, ProbeCheck } from '../../../shared/models/model-probe.ts'
import { parseLine } from '../../testing/parse-line.ts'
import { type ModelsCommand, modelsCommand } from './models-command.ts'

async function run(args: readonly string[], checks: readonly ProbeCheck[] = []) {
  const parsed = parseLine<ModelsCommand>(['models', ...args])
  if (!parsed.ok) return { code: 2, text: parsed.failure.message, kept: [] }
  const written: string[] = []
  const kept: ModelProbe[] = []
  const code = await modelsCommand(parsed.value, {
    providers: {
      lab: {
        baseUrl: 'http://localhost:1',
        models: { a: { tools: false }, b: { price: { input: 0, output: 0 } } },
      },
    },
    defaultModel: 'sonnet',
    probe: async (model) => ({ model, at: 1, ms: 20, checks }),
    keep: async (probe) => {
      kept.push(probe)
      return ok(undefined)
    },
    output: { write: (text) => written.push(text) },
    errors: { write: (text) => written.push(text) },
  })
  return { code, text: written.join(''), kept: kept.map(({ model }) => model) }
}

test('a model that passes ends with 0, and the result is kept', async () => {
  const done = await run(['probe', 'lab/a'], [{ name: 'answers', passed: true, detail: '' }])
  expect(done).toEqual({ code: 0, kept: ['lab/a'], text: 'lab/a: first answer in 20 ms\n  yes  Answers\n' })
})

test('a model without tools ends with 1 and says what that means', async () => {
  const failed: ProbeCheck = { name: 'tools', passed: false, detail: 'It wrote the call as text.' }
  const done = await run(['probe', 'lab/a'], [failed])
  expect(done.code).toBe(1)
  expect(done.text).toContain('no   Calls tools: It wrote the call as text.')
  expect(done.text).toContain('can only answer with text')
  expect(JSON.parse((await run(['probe', 'lab/a', '--json'], [failed])).text)).toMatchObject({
    type: 'model-probe',
    tools: false,
  })
})

test('without a model that of new conversations is tested; wrong words are refused', async () => {
  expect((await run(['probe'])).kept).toEqual(['sonnet'])
  for (const wrong of [[], ['prove'], ['probe', 'a', 'b'], ['list', 'a']])
    expect((await run(wrong)).code).toBe(2)
})

test('the list says what is known of each model', async () => {
  const { text } = await run(['list'])
  expect(text).toContain("lab/a  http://localhost:1  can't call tools, no known price\n")
  expect(text).toContain('lab/b  http://localhost:1  not tested, $0 in, $0 out\n')
})
