import { expect, test } from 'vitest'
import { plainDefinition } from '../../../../shared/agent-definition/agent-definition.ts'
import { agentEntries, describeAgentTool } from '../../../runtime/definitions/agent-tool-description.ts'
import type { LoadedDefinition } from '../../../runtime/ports.ts'
import type { ScriptedMessage, ScriptedRequest } from '../director.ts'
import { createSurveyDirector } from './create-survey-director.ts'
import { promptFor } from './survey-job.ts'
import { layoutJob } from './survey-jobs.ts'

const director = createSurveyDirector()
const signal = new AbortController().signal
const user = (...texts: readonly string[]): ScriptedMessage => ({
  role: 'user',
  content: texts.map((text) => ({ type: 'text', text })),
})
const tool = (name: string, description = '') => ({ name, description })
const request = (more: Partial<ScriptedRequest>): ScriptedRequest => ({
  model: 'claude-sonnet-5-5',
  system: 'You are.\n\n# Where you work\nFolder: /home/ana/clock\nDate: 2026-11-21',
  tools: [tool('Agent'), tool('Read')],
  toolChoice: 'auto',
  messages: [user('Fix the login')],
  ...more,
})
const reply = (more: Partial<ScriptedRequest>) => director.reply(request(more), signal)
const textOf = (blocks: Awaited<ReturnType<typeof reply>>['blocks']) =>
  blocks.map((block) => ('text' in block ? block.text : JSON.stringify(block.input))).join('\n')

const blank: LoadedDefinition = { ...plainDefinition('', ''), source: 'user', file: null }

test('the same request gets the same reply: the director is stateless', async () => {
  const first = await reply({})
  await reply({ messages: [user('Something else')] })
  expect(await reply({})).toEqual(first)
})

test('agents are chosen by the Agent tool’s description', async () => {
  const entries = agentEntries(
    [
      { ...blank, name: 'finder', description: 'Finds.\nUse it: (often)\n- for this' },
      { ...blank, name: 'ops:shell', description: 'Runs' },
    ],
    ({ name }) => (name === 'finder' ? ['Grep', 'Glob', 'Read'] : ['Bash']),
  )
  const { blocks } = await reply({ tools: [tool('Agent', describeAgentTool(entries))] })
  const types = blocks.flatMap((block) =>
    block.type === 'tool_use' ? [(block.input as { subagent_type: string }).subagent_type] : [],
  )
  expect(types).toEqual(['finder', 'finder', 'ops:shell', 'finder'])
})

test('a message without a search word starts no words agent and says so', async () => {
  const { blocks } = await reply({ messages: [user('Hello!')] })
  expect(blocks.filter(({ type }) => type === 'tool_use')).toHaveLength(4)
  expect(textOf(blocks)).toContain('Your message contains no word that I can search for.')
})

test('an agent that may no longer call tools reports its findings so far', async () => {
  const messages = [user(promptFor(layoutJob, [], 'Fix it'))]
  const { blocks } = await reply({ tools: [tool('Glob'), tool('Read')], toolChoice: 'none', messages })
  expect(textOf(blocks)).toBe(
    'Survey report: entry points and layout\n\nNothing was found.\n\nNot known: I had to stop before I was done.',
  )
})

test('an agent without the tools for its job reports their absence', async () => {
  const messages = [user(promptFor(layoutJob, [], 'Fix it'))]
  const { blocks } = await reply({ tools: [tool('TodoWrite')], messages })
  expect(textOf(blocks)).toContain('Not known: The list of files: This agent does not have the tool Glob.')
})

test('a reminder at the end of a message is not part of the task', async () => {
  const reminder = '<system-reminder>\nYou only read.\n</system-reminder>'
  const messages = [user(promptFor(layoutJob, [], 'Fix it'), reminder)]
  const { blocks } = await reply({ tools: [tool('Glob')], messages })
  expect(textOf(blocks)).not.toContain('You wrote')
  const heard = await reply({
    tools: [tool('Glob')],
    messages: [user(promptFor(layoutJob, [], 'x'), 'Hi there', reminder)],
  })
  expect(textOf(heard.blocks)).toContain('You wrote: “Hi there”')
})

test('a cleared result or a real model’s answer does not break the survey', async () => {
  const first = await reply({})
  const calls = first.blocks.flatMap((block, index) =>
    block.type === 'tool_use'
      ? [{ type: 'tool_use' as const, id: `t${index}`, name: block.name, input: block.input }]
      : [],
  )
  const cleared = calls.map(({ id }) => ({
    type: 'tool_result' as const,
    toolUseId: id,
    text: 'This older result was cleared.',
    isError: false,
  }))
  const { blocks } = await reply({
    messages: [
      user('Fix the login'),
      { role: 'assistant', content: calls },
      { role: 'user', content: cleared },
    ],
  })
  expect(textOf(blocks)).toContain('its agent ended without a report.')
  const foreign = await reply({
    messages: [
      user('Fix the login'),
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      user('save it'),
    ],
  })
  expect(textOf(foreign.blocks)).toContain('This conversation has no survey to save')
})
