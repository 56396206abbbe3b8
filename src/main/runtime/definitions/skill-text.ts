import type { LoadedSkill } from '../ports/definitions.ts'

/** A skill as text for an agent. */
export function skillText({ name, body, folder }: Pick<LoadedSkill, 'name' | 'body' | 'folder'>): string {
  return `# Skill ${name}\nThe skill’s files are in ${folder}, and you may read them. Paths in the skill are relative to that folder.\n\n${body.trim()}`
}
