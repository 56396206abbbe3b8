import type { LoadedSkill } from '../ports.ts'

/** A skill as text for an agent. */
export function skillText({ name, body, folder }: Pick<LoadedSkill, 'name' | 'body' | 'folder'>): string {
  return `# Skill ${name}\nThe skill’s files are in ${folder}, and you may read them. Paths in the skill are relative to that folder.\n\n${body.trim()}`
}

/** A skill with `context: fork`: its text is the task of another agent. */
export function forkText(name: string, { agent, model }: NonNullable<LoadedSkill['fork']>): string {
  const on = model === null || model === 'inherit' ? '' : ` and model ${JSON.stringify(model)}`
  return `the skill ${name} is the task of an agent of its own. Call Agent once with subagent_type ${JSON.stringify(agent)}${on}, with the text below as its prompt, and say what it reports. Do not do the work yourself.`
}
