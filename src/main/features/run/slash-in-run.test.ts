import { expect, test } from 'vitest'
import type { SlashCommand } from '../../../shared/slash/slash-command.ts'
import { readTask } from './slash-in-run.ts'

const command = (more: Partial<SlashCommand>): SlashCommand => ({
  name: 'fix',
  description: 'Fixes an issue',
  argumentHint: '[issue]',
  source: 'project',
  file: '/x/fix.md',
  problem: null,
  ...more,
})
const list = async () => [
  command({}),
  command({ name: 'bad', argumentHint: '', problem: 'bad.md:3: broken' }),
]
const read = (task: string) => readTask(task, '/x', { list })

test('text, paths and known commands are tasks', async () => {
  for (const task of ['fix it', '/usr/bin is full', ' /nope', '/fix 12', '/mcp__tracker__triage'])
    expect(await read(task)).toEqual({ ok: true, value: { kind: 'task' } })
})

test('/help lists the commands; the window’s commands name their counterpart', async () => {
  expect(await read('/help')).toMatchObject({
    value: {
      text: '/fix [issue]\n    Fixes an issue (project)\n/bad\n    Can’t be used. bad.md:3: broken (project)',
    },
  })
  expect(await read('/cost')).toMatchObject({
    value: { text: expect.stringContaining('troupe conversations') },
  })
})

test('an unknown command is refused with similar names, before anything starts', async () => {
  expect(await read('/fxi 12')).toMatchObject({
    ok: false,
    failure: { message: expect.stringMatching(/^Unknown command \/fxi\. Similar: \/fix\..* " \/fxi"/) },
  })
})
