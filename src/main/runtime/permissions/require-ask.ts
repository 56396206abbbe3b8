/** A decision that an interceptor narrowed: every allowed call now needs the user's permission. */
import type { PermissionSubject } from '../../../shared/events/agent-event.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PermissionTarget } from '../ports/tool.ts'
import type { PermissionDecision } from './permission-concern.ts'
import { onlyTheUser, withoutAsking } from './refusals.ts'

interface RequiredAsk {
  /** Why the user must decide. */
  readonly because: string
  /** Whether the agent is denied instead of asking the user. */
  readonly isSilent: boolean
  readonly target: PermissionTarget
  readonly folder: string
  /** The action for a target that names none: "use TodoWrite". */
  readonly action: string
  readonly summary: string
}

/** A denial stays a denial. A request to the user keeps its subject and gives both reasons, without a rule to keep. */
export function requireAsk(decision: PermissionDecision, ask: RequiredAsk): PermissionDecision {
  const required = asked(decision, ask)
  return ask.isSilent ? withoutAsking(required) : required
}

function asked(decision: PermissionDecision, ask: RequiredAsk): PermissionDecision {
  if (decision.kind === 'deny') return decision
  const remedy = onlyTheUser
  if (decision.kind === 'ask')
    return {
      ...decision,
      because: `${ask.because}\n${decision.because}`,
      alwaysRule: null,
      offers: [],
      remedy,
    }
  return {
    kind: 'ask',
    subject: {
      ...subjectOf(ask),
      ...(decision.confinement && { confinement: decision.confinement }),
    },
    because: ask.because,
    alwaysRule: null,
    remedy,
    ...(decision.realPath === undefined ? {} : { realPath: decision.realPath }),
    ...(decision.confinement && { confinement: decision.confinement }),
  }
}

function subjectOf({ target, folder, action, summary }: RequiredAsk): PermissionSubject {
  switch (target.kind) {
    case 'none':
      return { kind: 'other', action, text: makeVisible(summary), folder }
    case 'read':
      return { kind: 'file', action: 'read a file', text: makeVisible(target.path), folder }
    case 'write':
      return target.preview === ''
        ? { kind: 'file', action: 'write a file', text: makeVisible(target.path), folder }
        : {
            kind: 'diff',
            action: `write ${makeVisible(target.path)}`,
            text: makeVisible(target.preview),
            folder,
          }
    case 'command':
      return { kind: 'command', action: 'run a command', text: makeVisible(target.command), folder }
    case 'fetch':
      return { kind: 'url', action: 'fetch a web page', text: makeVisible(target.url), folder }
    case 'undeclared':
    case 'always-ask':
      return { kind: 'other', action: target.action, text: makeVisible(target.text), folder }
  }
}
