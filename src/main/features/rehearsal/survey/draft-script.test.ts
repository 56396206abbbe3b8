import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draftIn, draftRequest } from '../../../../shared/agent-definition/draft-request.ts'
import { readDefinition } from '../../../../shared/agent-definition/read-definition.ts'
import type { ScriptedRequest } from '../director.ts'
import { createSurveyDirector } from './create-survey-director.ts'

const request = (description: string, more: Partial<ScriptedRequest> = {}): ScriptedRequest => ({
  model: 'claude-sonnet-5-5',
  system: 'You write.\n\n# Where you work\nFolder: /home/ana/clock\nDate: 2026-11-21',
  tools: [],
  toolChoice: 'auto',
  messages: [{ role: 'user', content: [{ type: 'text', text: draftRequest(description) }] }],
  ...more,
})
async function answer(description: string, more: Partial<ScriptedRequest> = {}): Promise<string> {
  const { blocks } = await createSurveyDirector().reply(
    request(description, more),
    new AbortController().signal,
  )
  return blocks.map((block) => ('text' in block ? block.text : '')).join('')
}
const draftOf = async (description: string) =>
  readDefinition(draftIn(await answer(description)), { stem: 'draft', source: 'a script' })

describe('a requested definition', () => {
  test('uses the description’s words, and says that no model wrote it', async () => {
    expect(await answer('Reviews SQL migrations: are there locks?')).toContain('I am a script, not a model')
    const { definition, diagnostics } = await draftOf('Reviews SQL migrations: are there locks?')
    expect(diagnostics).toEqual([])
    expect(definition).toMatchObject({
      description: 'Reviews SQL migrations: are there locks?',
      tools: null,
      model: 'inherit',
    })
    expect(definition?.name).toMatch(/^[a-z]+(-[a-z]+){1,2}$/)
    expect(definition?.name).toContain('migrations')
    expect(definition?.prompt).toContain('> Reviews SQL migrations: are there locks?')
  })

  test('has a name for any description', async () => {
    expect((await draftOf('do it')).definition?.name).toBe('new-agent')
    expect((await draftOf('Prüft Übersetzungen')).definition?.name).toContain('übersetzungen')
  })

  test('reads without diagnostics for any description', async () => {
    const text = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.stringMatching(/^[-`~:#"'\n {}a-z]{1,60}$/),
    )
    await fc.assert(
      fc.asyncProperty(text, async (description) => {
        fc.pre(description.trim() !== '')
        const { offered, diagnostics } = await draftOf(description)
        expect({ offered, diagnostics }).toEqual({ offered: true, diagnostics: [] })
      }),
    )
  })

  test('is written only by an agent without tools', async () => {
    const tools = [{ name: 'Agent', description: '' }]
    expect(await answer('Reviews SQL', { tools })).not.toContain('name:')
  })
})
