import { expect, test } from 'vitest'
import { rowForName } from './row-for-name.ts'

test('a call of an external agent has its row before it starts', () => {
  expect(rowForName('acp_execute')).toEqual({ kind: 'command', icon: 'terminal', label: 'Run' })
  expect(rowForName('acp_switch_mode').label).toBe('Tool')
})

test('the tool of a server is named with its server', () => {
  expect(rowForName('mcp__docs__find').label).toBe('docs find')
})
