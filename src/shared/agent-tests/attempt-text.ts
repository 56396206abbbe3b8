/** Checks and attempts in words. */
import type { CaseAttempt, CaseCheck } from './agent-tests.ts'

/** A check as the end of a sentence about the attempt: "reports src/payments/token.ts:52". */
export function caseCheckText(check: CaseCheck): string {
  switch (check.type) {
    case 'report-contains':
      return `reports ${check.text}`
    case 'report-lacks':
      return `does not report ${check.text}`
    case 'report-matches':
      return `report matches /${check.pattern}/${check.flags}`
    case 'report-schema':
      return 'report is JSON of its schema'
    case 'files-changed':
      return `changes ${check.paths.join(', ')}`
    case 'files-unchanged':
      return check.paths.includes('**') ? 'changes no file' : `leaves ${check.paths.join(', ')} unchanged`
    case 'command':
      return `${check.command} passes`
    case 'tools-not-used':
      return check.tools.includes('*') ? 'uses no tool' : `does not use ${check.tools.join(', ')}`
    case 'no-request':
      return check.tools.includes('*')
        ? 'asks for no permission'
        : `asks for no permission for ${check.tools.join(', ')}`
    case 'opinion':
      return check.rubric.split('\n', 1)[0] ?? ''
  }
}

/** Why an attempt is not passed; empty: its state says all. */
export function becauseText({ because, checks, state }: CaseAttempt): string {
  if (because !== null) return because
  const failed = checks.filter(({ passed }) => !passed)
  return state === 'failed'
    ? failed.map(({ check, found }) => `${caseCheckText(check)}: ${found}`).join('; ')
    : ''
}
