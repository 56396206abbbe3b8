/** The templates `{{…}}` in a scenario's texts, and its expressions, each parsed once. */
import { type Expression, parseExpression, type Scope, UnknownName } from './expression.ts'

/** A text's parts: literal text, and expressions with their source. */
type Part = string | { readonly source: string; readonly value: Expression }

export class Templates {
  private readonly expressions = new Map<string, Expression>()
  private readonly texts = new Map<string, readonly Part[]>()

  /** The value of an expression. */
  value(source: string, scope: Scope): unknown {
    return this.parsed(source)(scope)
  }

  /** A text with its templates filled. A template with an unknown name stays as it is. */
  text(text: string, scope: Scope): string {
    return this.partsOf(text)
      .map((part) => String(filledPart(part, scope) ?? ''))
      .join('')
  }

  /** The same for all texts in a value. A text that is one template only becomes its value. */
  filled(value: unknown, scope: Scope): unknown {
    if (typeof value === 'string') {
      const parts = this.partsOf(value)
      return parts.length === 1 && parts[0] !== undefined
        ? filledPart(parts[0], scope)
        : this.text(value, scope)
    }
    if (Array.isArray(value)) return value.map((item) => this.filled(item, scope))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.filled(item, scope)]))
  }

  private parsed(source: string): Expression {
    const known = this.expressions.get(source)
    if (known) return known
    const parsed = parseExpression(source)
    this.expressions.set(source, parsed)
    return parsed
  }

  private partsOf(text: string): readonly Part[] {
    const known = this.texts.get(text)
    if (known) return known
    const parts: Part[] = []
    let from = 0
    for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', from)) {
      const template = this.templateAt(text, start)
      const end = template?.end ?? start + 2
      if (template === null) parts.push(text.slice(from, end))
      else parts.push(text.slice(from, start), { source: text.slice(start, end), value: template.value })
      from = end
    }
    const all = [...parts, text.slice(from)].filter((part) => part !== '')
    this.texts.set(text, all)
    return all
  }

  /** The template that starts here: up to the first `}}` that ends an expression; null if there is none. */
  private templateAt(
    text: string,
    start: number,
  ): { readonly value: Expression; readonly end: number } | null {
    for (let close = text.indexOf('}}', start); close >= 0; close = text.indexOf('}}', close + 1)) {
      const source = text.slice(start + 2, close).trim()
      // `{{1}}` is a captured group.
      if (/^\d+$/.test(source)) return { value: (scope) => scope(source), end: close + 2 }
      try {
        return { value: this.parsed(source), end: close + 2 }
      } catch {}
    }
    return null
  }
}

function filledPart(part: Part, scope: Scope): unknown {
  if (typeof part === 'string') return part
  try {
    return part.value(scope)
  } catch (thrown) {
    if (thrown instanceof UnknownName) return part.source
    throw thrown
  }
}
