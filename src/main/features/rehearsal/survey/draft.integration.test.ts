import { expect, test } from 'vitest'
import { draftIn, draftRequest } from '../../../../shared/agent-definition/draft-request.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import { surveyStage, testFolder } from './testing/survey-stage.ts'

test('the agent that writes definitions gets a usable draft', async () => {
  const { say, events } = await surveyStage(await testFolder(), { agent: 'agent-writer' })
  const said = await say(draftRequest('Reviews SQL migrations: locks, lost data.'))
  const { definition, diagnostics } = readDefinition(draftIn(said), { stem: 'draft', source: 'a script' })
  expect(diagnostics).toEqual([])
  expect(definition).toMatchObject({ description: 'Reviews SQL migrations: locks, lost data.', tools: null })
  expect(events.find((event) => event.type === 'agent-spawned')).toMatchObject({ tools: [] })
})
