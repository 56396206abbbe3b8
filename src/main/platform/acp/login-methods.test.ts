/** The ways to log in, as programs describe them. */
import { expect, test } from 'vitest'
import { loginMethodsOf } from './session-options.ts'

const of = (method: object) => loginMethodsOf([{ id: 'm', name: 'Method', ...method }], 'gemini --acp')[0]

test.each([
  [{}, { kind: 'agent', command: null, variables: [] }],
  [
    { type: 'terminal', args: ['--log', 'in now'], env: { A: 'b c' } },
    { kind: 'terminal', command: "A='b c' gemini --acp --log 'in now'" },
  ],
  [
    { _meta: { 'terminal-auth': { command: '/usr/bin/node', args: ['x.js', '/login'] } } },
    { kind: 'terminal', command: '/usr/bin/node x.js /login' },
  ],
  [
    { type: 'env_var', vars: [{ name: 'KEY' }, 'OTHER'] },
    { kind: 'environment', variables: ['KEY', 'OTHER'] },
  ],
  [
    { type: 'env_var', varName: 'KEY' },
    { kind: 'environment', variables: ['KEY'] },
  ],
])('%j', (method, expected) => {
  expect(of(method)).toMatchObject({ id: 'm', name: 'Method', description: '', ...expected })
})

test('methods without an id are left out', () => {
  expect(loginMethodsOf([null, 5, {}, { id: '' }], 'x')).toEqual([])
})
