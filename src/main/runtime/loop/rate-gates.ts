/** One gate for each key: the main access's, and one for each provider. */
import { splitModel } from '../../../shared/models/model-provider.ts'
import type { ModelCatalog } from '../ports/model.ts'
import { RateGate } from './rate-gate.ts'

export class RateGates {
  /** The gate of the main access. */
  readonly main: RateGate
  private readonly models: Pick<ModelCatalog, 'facts'>
  private readonly byProvider = new Map<string, RateGate>()

  /** @param onRefused called with the end of each limit of the main access */
  constructor(models: Pick<ModelCatalog, 'facts'>, onRefused: (until: number) => void) {
    this.models = models
    this.main = new RateGate(onRefused)
  }

  of(model: string): RateGate {
    const provider = splitModel(model).provider === null ? undefined : this.models.facts(model).provider
    if (provider === undefined) return this.main
    const gate = this.byProvider.get(provider) ?? new RateGate()
    this.byProvider.set(provider, gate)
    return gate
  }

  /** A key changed: the limits of earlier ones no longer apply. */
  open(): void {
    this.main.open()
    for (const gate of this.byProvider.values()) gate.open()
  }
}
