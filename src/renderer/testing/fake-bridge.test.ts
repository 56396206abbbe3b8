import { expect, test } from 'vitest'
import type { CommandName } from '../../shared/ipc/ipc-contract.ts'
import { command } from '../bridge.ts'
import { installFakeBridge } from './fake-bridge.ts'
import { Refusal } from './fake-handlers.ts'

const ref = { conversationId: 'c1', agentId: 'a1' }

test('it refuses what the program refuses: unknown commands, and input that the contract does not allow', async () => {
  const bridge = installFakeBridge({ 'agent.stop': () => expect.unreachable() })
  expect(await command('agent.fly' as CommandName, ref as never)).toMatchObject({
    failure: { type: 'unknown-command' },
  })
  expect(await command('agent.stop', { ...ref, agentId: '' })).toMatchObject({
    failure: { type: 'bad-input', message: expect.stringContaining('agentId') },
  })
  expect(bridge.inputsOf('agent.stop')).toEqual([{ ...ref, agentId: '' }])
})

test('a handler gets the input as the contract parsed it, and answers with a value or a refusal', async () => {
  const bridge = installFakeBridge({
    'folder.pick': (input) => {
      expect(input).toEqual({ newWindow: false })
      return null
    },
  })
  expect(await command('folder.pick', {})).toEqual({ ok: true, value: null })
  bridge.answer({
    'folder.pick': () => {
      throw new Refusal('It is gone.', 'not-found')
    },
  })
  expect(await command('folder.pick', {})).toEqual({
    ok: false,
    failure: { type: 'not-found', message: 'It is gone.' },
  })
})

test('an answer is a copy, as between processes', async () => {
  const files = ['a.ts']
  installFakeBridge({ 'folder.files': () => files })
  const answer = await command('folder.files', { path: '/work', query: '' })
  expect(answer).toEqual({ ok: true, value: files })
  expect(answer.ok && answer.value).not.toBe(files)
})

test('without a handler, it has nothing to list, does what it is told, and refuses to make up an answer', async () => {
  installFakeBridge()
  expect(await command('plugins.list', {})).toEqual({ ok: true, value: [] })
  expect(await command('agent.stop', ref)).toEqual({ ok: true, value: undefined })
  expect(await command('agent.context', ref)).toMatchObject({ failure: { type: 'not-expected' } })
})
