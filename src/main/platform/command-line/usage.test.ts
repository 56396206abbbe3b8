import { expect, test } from 'vitest'
import { parseArguments } from '../../parse-arguments.ts'
import { USAGE, usageOf } from './usage.ts'

const commands = [...new Set([...USAGE.matchAll(/^troupe ([a-z]+)/gm)].map(([, name = '']) => name))]

test('each command has its own help, with its options and without other commands', () => {
  expect(commands).toEqual(expect.arrayContaining(['run', 'mcp', 'worker', 'nats', 'plugins', 'worktrees']))
  for (const name of commands) {
    const own = usageOf(name)
    const firsts = own.split('\n').filter((line) => line.startsWith('troupe '))
    expect(firsts.length).toBeGreaterThan(0)
    for (const line of firsts) expect(line.split(' ')[1]).toBe(name)
  }
  expect(usageOf('nats')).toContain('--renew')
  expect(usageOf('worker')).toContain('troupe worker --connect URL')
})

test('help is about the command that it stands behind', () => {
  expect(parseArguments(['nats', '--help'])).toMatchObject({ value: { verb: 'help', of: 'nats' } })
  expect(parseArguments(['worker', '--connect', 'x', '-h'])).toMatchObject({ value: { of: 'worker' } })
  expect(parseArguments(['help', 'mcp'])).toMatchObject({ value: { of: 'mcp' } })
  for (const args of [['--help'], ['-h'], ['help']])
    expect(parseArguments(args)).toMatchObject({ value: { verb: 'help', of: null } })
  for (const name of [null, 'nothing']) expect(usageOf(name)).toBe(USAGE)
})
