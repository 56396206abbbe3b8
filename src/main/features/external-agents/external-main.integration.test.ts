/** An external agent as the main agent of `troupe run`: it needs no access to a model. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandLine, jsonLines } from '../../testing/command-line.ts'

const EXAMPLE = join(import.meta.dirname, 'backing/testing/example-agent.ts')

test('it does the task, and a later run continues its session', async () => {
  const cli = await commandLine()
  await cli.write({
    '../home/.claude/agents/outsider.md': `---
name: outsider
description: An example.
backing: acp
command: ${process.execPath}
args: [${EXAMPLE}, talks, resume]
env: { PID_FILE: ${join(cli.folder, '../pids')} }
---
`,
  })
  const first = await cli.run(['run', 'Look', '--agent', 'outsider', '--trust', '--json'])
  expect(first.errors).toBe('')
  const { result } = jsonLines(first)
  expect(result.report).toMatch(/heard 1\. .*Last: Look$/s)
  const id = result.conversationId
  const second = await cli.run(['run', 'Again', '--resume', id, '--trust'])
  expect(second.code).toBe(0)
  expect(second.output).toMatch(/heard 2\. .*Last: Again\n$/s)
})

test('without trust it does not start, and the message says what to do', async () => {
  const cli = await commandLine()
  await cli.write({
    '../home/.claude/agents/outsider.md':
      '---\nname: outsider\ndescription: An example.\nbacking: acp\ncommand: true\n---\n',
  })
  const { code, errors } = await cli.run(['run', 'Look', '--agent', 'outsider'])
  expect(code).toBe(2)
  expect(errors).toContain('starts only in folders that you trust')
})
