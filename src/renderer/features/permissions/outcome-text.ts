/** The answer to a permission request, in words. */
import type { AnsweredRequest } from '../../../shared/state/answered-request.ts'

type Outcome = Pick<AnsweredRequest, 'decision' | 'answeredBy' | 'rule'>

/** Beside a line of a list: "once", "always", "by rule", "denied". */
export function outcomeKeyword({ decision, answeredBy }: Outcome): string {
  if (decision === 'deny') return 'denied'
  if (answeredBy === 'rules') return 'by rule'
  return decision === 'allow-once' ? 'once' : 'always'
}

/** A sentence without a rule's text: "Allowed once." */
export function outcomeSentence({ decision, answeredBy, rule }: Outcome): string {
  if (answeredBy === 'rules') {
    const by = rule === null ? 'by a change of the rules or the mode' : 'by a new rule'
    return decision === 'deny' ? `Denied ${by}.` : `Allowed ${by}.`
  }
  if (decision === 'deny') return 'Denied.'
  return decision === 'allow-once' ? 'Allowed once.' : 'Always allowed from now on.'
}
