/** Failures of NATS in words: what happened, where, and what to do. */

import { JetStreamApiError } from '@nats-io/jetstream'
import { errors } from '@nats-io/transport-node'
import { type Failure, messageOf, sentence } from '../../../../shared/kernel/result.ts'
import { codeOf } from '../../../platform/system/error-code.ts'
import { ANSWER_TIME, SilentServer } from './waits.ts'

/** Codes of TLS for a certificate whose authority is not known. */
const UNKNOWN_AUTHORITY = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_GET_ISSUER_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
])

/** Why no connection was made. `url` is the address in the settings. */
export function connectFailure(thrown: unknown, url: string): Failure {
  const of = (type: string, message: string): Failure => ({ type, message, cause: thrown })
  const text = messageOf(thrown)
  const code = codeOf(thrown) || codeOf(thrown instanceof Error ? thrown.cause : undefined)
  if (thrown instanceof errors.AuthorizationError || thrown instanceof errors.UserAuthenticationExpiredError)
    return of(
      'wrong-credentials',
      `The NATS server at ${url} refuses the credentials (${text}). Check that the credentials file belongs to this server and was not replaced or revoked.`,
    )
  if (code === 'ECONNREFUSED')
    return of(
      'nobody-listens',
      `No NATS server listens at ${url}. Start it there, or correct the address and port.`,
    )
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return of(
      'unknown-host',
      `The host of ${url} can’t be found (${code}). Check its name and this machine’s network.`,
    )
  if (['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ECONNRESET', 'EPIPE'].includes(code))
    return of(
      'unreachable',
      `The NATS server at ${url} can’t be reached (${code}). Check the network, the firewall and the port.`,
    )
  if (text.includes("does not support 'tls'"))
    return of(
      'no-tls',
      `The NATS server at ${url} has no TLS, but the settings demand it. Turn on TLS at the server, or for a server on this machine use nats:// without a certificate authority.`,
    )
  if (UNKNOWN_AUTHORITY.has(code))
    return of(
      'unknown-authority',
      `The certificate of the NATS server at ${url} is signed by an authority that is not known here (${code}). Set the certificate of its authority (ca.pem of \`troupe nats setup\`).`,
    )
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return of(
      'expired-certificate',
      `The certificate of the NATS server at ${url} ${code === 'CERT_HAS_EXPIRED' ? 'has expired' : 'is not valid yet'}. Renew it at the server (\`troupe nats setup --renew\`), and check the clocks of both machines.`,
    )
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return of(
      'wrong-host',
      `The certificate of the NATS server at ${url} is for other names: ${text}. Use one of them as the address, or make a certificate with this name (\`troupe nats setup --host\`).`,
    )
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code.startsWith('ERR_OSSL'))
    return of('tls', `TLS with the NATS server at ${url} failed: ${text}. Check the files of certificates.`)
  if (text.includes('unexpected response'))
    return of(
      'no-nats',
      `Something that is not a NATS server answers at ${url}. Check the port: 4222 is the usual one.`,
    )
  if (thrown instanceof errors.TimeoutError)
    return of(
      'silent',
      `The NATS server at ${url} does not answer in time. Check the address, and whether the server is overloaded.`,
    )
  return of('nats', `The connection to the NATS server at ${url} failed: ${text || 'it was closed'}.`)
}

/** Why an operation on a connection failed. `what` is the operation: `The mailbox of scout can’t be read`. */
export function natsFailure(thrown: unknown, what: string): Failure {
  const of = (type: string, reason: string): Failure => ({
    type,
    message: `${what}: ${reason}`,
    cause: thrown,
  })
  const denied = causeOf(thrown, errors.PermissionViolationError)
  if (denied !== null)
    return of(
      'denied',
      `the NATS server does not allow these credentials to ${denied.operation === 'publish' ? 'publish to' : 'subscribe to'} ${denied.subject}. Use the credentials of the right role, or make new permissions with \`troupe nats setup\`.`,
    )
  const api = causeOf(thrown, JetStreamApiError)
  if (api !== null) {
    if (FULL.has(api.code) || /insufficient|maximum (bytes|messages)/.test(api.message))
      return of('full', `the NATS server is full (${api.message}). Free space there or raise its limits.`)
    return of('nats', `the NATS server says: ${sentence(api.message)}`)
  }
  if (causeOf(thrown, errors.NoRespondersError))
    return of(
      'no-jetstream',
      'nothing answers at the NATS server: JetStream is off, its disk is full, or a stream of Troupe is missing. Look at the server’s log, and start it with JetStream (`nats-server -js`).',
    )
  const silent = causeOf(thrown, SilentServer)
  if (silent !== null) return of('silent', sentence(silent.message))
  if (causeOf(thrown, errors.TimeoutError))
    return of(
      'silent',
      `the NATS server did not answer within ${ANSWER_TIME / 1000} s. Check the network and the load of the server.`,
    )
  if (causeOf(thrown, errors.ClosedConnectionError) || causeOf(thrown, errors.DrainingConnectionError))
    return of('offline', 'there is no connection to NATS.')
  return of('nats', sentence(messageOf(thrown)))
}

/** Error codes of JetStream for too little space: resources, storage, a stream's limits. */
const FULL = new Set([10023, 10047, 10028, 10077, 10054])

/** The error or its first cause of that class. */
function causeOf<T extends Error>(thrown: unknown, kind: abstract new (...args: never[]) => T): T | null {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (error instanceof kind) return error
  return null
}
