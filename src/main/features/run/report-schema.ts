/** A report that must be JSON of a given form (`--output-schema`). */
import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'

/** The form of a report. */
export interface ReportSchema {
  /** The schema on one line, as the agent reads it. */
  readonly text: string
  /** The value of a report, also of one in a block of code. Fails with what is wrong, for the agent. */
  read(report: string): Result<unknown>
}

/** Longer ones would fill the agent's context. Characters. */
const LONGEST_SCHEMA = 100_000

const MOST_ERRORS = 10

const NEWEST = 'https://json-schema.org/draft/2020-12/schema'
const OLDER = 'http://json-schema.org/draft-07/schema'

/**
 * Reads a JSON Schema of draft 2020-12 (also one without `$schema`) or draft 7. `format` is not checked, as the
 * specification has it.
 * @param given a file, or the schema itself, which begins with a brace
 * @param name what the user gave it as, for failures
 */
export function readReportSchema(given: string, name = '--output-schema'): Result<ReportSchema> {
  const isText = given.trimStart().startsWith('{')
  const wrong = (message: string) =>
    fail({ type: 'usage', message: `${name}${isText ? '' : ` ${given}`}: ${message}` })
  let schema: unknown
  try {
    schema = JSON.parse(isText ? given : readFileSync(given, 'utf8'))
  } catch (thrown) {
    return wrong(`${sentence(messageOf(thrown))} Give a file with a JSON Schema, or the schema itself.`)
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return wrong('A JSON Schema is an object, such as {"type": "object"}.')
  const text = JSON.stringify(schema)
  if (text.length > LONGEST_SCHEMA)
    return wrong(`The schema has ${text.length} characters. At most ${LONGEST_SCHEMA} are possible.`)
  const draft = '$schema' in schema ? String(schema.$schema).replace(/#$/, '') : NEWEST
  if (draft !== NEWEST && draft !== OLDER)
    return wrong(`"$schema" names "${draft}". Use draft 2020-12 (${NEWEST}) or draft 7 (${OLDER}#).`)
  let valid: ValidateFunction
  try {
    const Validator = draft === OLDER ? Ajv : Ajv2020
    valid = new Validator({
      allErrors: true,
      strictSchema: true,
      validateFormats: false,
      logger: false,
    }).compile(schema)
  } catch (thrown) {
    return wrong(sentence(messageOf(thrown)))
  }
  return ok({ text, read: (report) => readReport(report, valid) })
}

function readReport(report: string, valid: ValidateFunction): Result<unknown> {
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(report.trim())
  let value: unknown
  try {
    value = JSON.parse(fenced?.[1] ?? report)
  } catch (thrown) {
    return fail({ type: 'not-json', message: `It is not JSON: ${messageOf(thrown)}` })
  }
  if (valid(value)) return ok(value)
  const errors = (valid.errors ?? []).slice(0, MOST_ERRORS).map(errorText)
  return fail({ type: 'not-valid', message: errors.join('\n') })
}

function errorText({ instancePath, message = '', params }: ErrorObject): string {
  const details = Object.values(params).filter((one) => typeof one === 'string' || Array.isArray(one))
  const named = details.filter((one) => !message.includes(String(one)))
  return `${instancePath === '' ? 'The value' : instancePath} ${message}${named.length === 0 ? '' : `: ${named.join(', ')}`}.`
}
