/** A form that an MCP server wants filled in: interceptors may decline it before the user is asked, and after. */
import type { FormAnswer, FormContent } from '../../../shared/form.ts'
import type { ElicitationFacts } from '../interceptors.ts'
import { type InterceptedRun, intercept } from './intercept.ts'

/** Other forms are only asked. */
export async function askElicited(
  run: InterceptedRun,
  form: FormContent,
  ask: () => Promise<FormAnswer>,
): Promise<FormAnswer> {
  if (form.kind !== 'elicitation' && form.kind !== 'elicitation-url') return ask()
  const { server, message } = form
  const facts: ElicitationFacts =
    form.kind === 'elicitation'
      ? { server, message, url: null, schema: form.schema }
      : { server, message, url: form.url, schema: null }
  const before = await intercept(run, 'elicitation', facts)
  if (before.denial !== null) return { action: 'decline', feedback: before.denial }
  const answer = await ask()
  const values = answer.action === 'accept' ? answer.values : {}
  const after = await intercept(run, 'elicitation-answered', { ...facts, action: answer.action, values })
  return after.denial === null ? answer : { action: 'decline', feedback: after.denial }
}
