/** An authority and a certificate for a NATS server, made by openssl. */
import { execFile } from 'node:child_process'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fail, messageOf, ok, type Result } from '../../../../shared/result.ts'
import { codeOf } from '../../system/error-code.ts'
import { exists } from '../../system/exists.ts'

const run = promisify(execFile)

/** Days. */
const AUTHORITY_LASTS = 3650
const SERVER_LASTS = 825

/** Writes `ca.pem` and `ca.key` where they are missing, and a new `server.pem` and `server.key` for these hosts. */
export async function makeServerCertificate(folder: string, hosts: readonly string[]): Promise<Result<void>> {
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const names = hosts.map((host) => (isIP(host) ? `IP:${host}` : `DNS:${host}`)).join(',')
  try {
    if (!(await exists(join(folder, 'ca.key')))) {
      const ca = ['-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Troupe NATS authority']
      await openssl('req', '-x509', ...key, ...ca, '-days', String(AUTHORITY_LASTS))
    }
    await openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=Troupe NATS')
    await writeFile(join(folder, 'server.names'), `subjectAltName=${names}\nextendedKeyUsage=serverAuth\n`)
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'server.names']
    const lasts = ['-days', String(SERVER_LASTS), '-out', 'server.pem']
    await openssl('x509', '-req', '-in', 'server.csr', ...signed, ...lasts)
    for (const name of ['ca.key', 'server.key']) await chmod(join(folder, name), 0o600)
    for (const name of ['server.csr', 'server.names', 'ca.srl']) await rm(join(folder, name), { force: true })
    return ok(undefined)
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT')
      return fail({
        type: 'openssl',
        message: 'openssl is missing, which makes the certificates. Install the package openssl.',
      })
    return fail({
      type: 'openssl',
      message: `The certificates can’t be made in ${folder}: ${messageOf(thrown)}`,
    })
  }
}
