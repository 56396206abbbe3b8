import { describe, expect, test } from 'vitest'
import { describeSkillTool } from './skill.ts'

const skill = (name: string, description = 'x') => ({ name, description, source: 'user' as const, file: '' })

describe('the list of skills', () => {
  test('is one line if there are no skills', () => {
    expect(describeSkillTool([]).description).toBe(
      'Loads a skill: instructions for one kind of work. No skills are available.',
    )
  })

  test('has an entry for each skill, with long descriptions truncated', () => {
    const { description: text } = describeSkillTool([
      skill('commit', 'Commits.\n- fake: x'),
      skill('long', 'ab'.repeat(1000)),
    ])
    expect(text).toContain('Available skills:\n- commit: Commits.\n  - fake: x\n- long: abab')
    expect(text.length).toBeLessThan(1000)
  })

  test('is limited, and counts the omitted skills', () => {
    const { description: text } = describeSkillTool(
      Array.from({ length: 130 }, (_, index) => skill(`s${index}`)),
    )
    expect(text).toContain('- s99: x\nAnd 30 more')
    expect(text).not.toContain('- s100')
  })
})
