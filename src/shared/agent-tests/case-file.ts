/** The files of cases: where they are, and the text of one. See read-case-file.ts. */
import { stringify } from 'yaml'
import { agentSlug } from '../agent-definition/agent-slug.ts'
import type { AgentCase, CaseCheck } from './agent-tests.ts'

/** Below the folder. Each agent has a folder in it. */
export const CASES_FOLDER = '.claude/agent-tests'

/** What a case file says. Its path says the rest. */
export type CaseContent = Omit<AgentCase, 'file' | 'agent'>

/** The text of a case. What is as usual is left out. */
export function caseText({ name, task, start, role, checks, limits, permissions }: CaseContent): string {
  const { turns, tokens, usd, ms } = limits
  const { mode, allow, deny } = permissions
  const written = withoutEmpty({
    name,
    task,
    start:
      start.type === 'head'
        ? 'head'
        : start.type === 'commit'
          ? { commit: start.commit }
          : { files: start.folder },
    role: role === 'subagent' ? null : role,
    checks: checks.map((check) => ({ [check.type]: checkValue(check) })),
    limits: withoutEmpty({ turns, tokens, usd, minutes: ms === null ? null : ms / 60_000 }),
    permissions: withoutEmpty({ mode: mode === 'default' ? null : mode, allow, deny }),
  })
  return stringify(written, { lineWidth: 0, indent: 2 })
}

function checkValue(check: CaseCheck): unknown {
  switch (check.type) {
    case 'report-contains':
    case 'report-lacks':
      return check.text
    case 'report-matches':
      return `/${check.pattern}/${check.flags}`
    case 'report-schema':
      return check.schema
    case 'files-changed':
    case 'files-unchanged':
      return oneOrAll(check.paths)
    case 'command':
      return check.command
    case 'tools-not-used':
    case 'no-request':
      return oneOrAll(check.tools.map((tool) => (tool === '*' ? 'any' : tool)))
    case 'opinion':
      return check.rubric
  }
}

const oneOrAll = (list: readonly string[]): unknown => (list.length === 1 ? list[0] : list)

const withoutEmpty = (values: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([, value]) => value !== null && !(typeof value === 'object' && Object.keys(value).length === 0),
    ),
  )

/** A case to begin with, which can be read, and whose comments say what else there is. */
export const firstCaseText = `name: What this case shows
# What the agent is told.
task: |
  Review src/payments and report problems with file and line.
# head: the commit that is checked out when the case runs. Or commit: HASH, or files: FOLDER beside this file.
start: head
# All must be true. Others: report-lacks, report-matches, report-schema, files-changed, files-unchanged,
# command, tools-not-used, no-request, opinion.
checks:
  - report-contains: charge.ts
  - files-unchanged: '**'
# limits: {turns: 20, usd: 0.5, minutes: 5}
# permissions: {mode: acceptEdits, allow: ['Bash(npm test)']}
`

/** The folder of an agent's cases in `CASES_FOLDER`. A name that is no folder's name everywhere, such as a plugin's, gets one. */
export const caseFolderOf = (agent: string): string =>
  /^\w[\w.-]{0,79}$/.test(agent) && !agent.endsWith('.') ? agent : agentSlug(agent)
