/** The decision about one call, made again whenever the rules of its folder change while the user is asked. */
import type { PermissionDecision } from '../permissions/permission-concern.ts'
import type { PermissionRules } from '../ports/ports.ts'

/** A decision that needs no answer of the user. */
export type Settlement = Exclude<PermissionDecision, { readonly kind: 'ask' }> & {
  /** The rule whose addition settled the call; null: another change of the rules. */
  readonly rule: string | null
}

export interface StandingDecision {
  /** The decision by the rules of this moment. A change during the decision counts. */
  now(): Promise<PermissionDecision>
  /** Resolves when a change of the rules settles the call; never after `end`. */
  settled(): Promise<Settlement>
  /** Stops following the rules. */
  end(): void
}

/** Follows the rules from now on, so that no change between a decision and the request is missed. */
export function createStandingDecision(
  rules: Pick<PermissionRules, 'watch'>,
  folder: string,
  decide: () => Promise<PermissionDecision>,
): StandingDecision {
  let added: (string | null)[] = []
  let changed: () => void = () => {}
  const stop = rules.watch(folder, (rule) => {
    added.push(rule)
    changed()
  })
  const nextChange = (): Promise<void> =>
    new Promise((resolve) => {
      changed = resolve
      if (added.length > 0) resolve()
    })
  return {
    async now() {
      for (;;) {
        added = []
        const decision = await decide()
        if (decision.kind !== 'ask' || added.length === 0) return decision
      }
    },
    async settled() {
      for (;;) {
        await nextChange()
        const changes = added
        added = []
        const decision = await decide()
        if (decision.kind !== 'ask') return { ...decision, rule: ruleAmong(changes, decision.because) }
      }
    },
    end() {
      stop()
      changed = () => {}
    },
  }
}

/** Of several rules that were added at once, the one that the decision names. */
function ruleAmong(changes: readonly (string | null)[], because: string): string | null {
  const texts = changes.filter((rule) => rule !== null)
  return texts.findLast((rule) => because.includes(rule)) ?? texts.at(-1) ?? null
}
