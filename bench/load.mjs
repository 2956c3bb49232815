import { connect } from 'node:net'

/**
 * Sends prepared requests over kept-alive connections, each as soon as the answer before it has arrived, and reads no
 * more of an answer than its status and length.
 *
 * @param {string} url origin of the server
 * @param {Buffer[]} requests each sent once
 * @param {{ connections?: number, expect: number, heard?: (body: Buffer) => void }} options the status every answer must
 *   have, and who wants to have the bodies
 * @returns {Promise<number>} answers per second
 */
export async function load(url, requests, { connections = 32, expect, heard }) {
  const { hostname, port } = new URL(url)
  let next = 0
  const startedMs = performance.now()
  const lane = () =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      socket.setNoDelay(true)
      let buffered = Buffer.alloc(0)
      const sendNext = () => {
        if (next >= requests.length) {
          socket.end()
          resolve()
          return
        }
        socket.write(requests[next++])
      }
      socket.on('connect', sendNext)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        buffered = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
        const headEnd = buffered.indexOf('\r\n\r\n')
        if (headEnd === -1) return
        const head = buffered.toString('latin1', 0, headEnd)
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
        if (buffered.length < headEnd + 4 + length) return
        const status = Number(head.slice(9, 12))
        if (status !== expect) {
          reject(new Error(`answered ${status}: ${buffered.toString('utf8', headEnd + 4)}`))
          socket.destroy()
          return
        }
        heard?.(buffered.subarray(headEnd + 4, headEnd + 4 + length))
        buffered = buffered.subarray(headEnd + 4 + length)
        sendNext()
      })
    })
  await Promise.all(Array.from({ length: connections }, lane))
  return requests.length / ((performance.now() - startedMs) / 1000)
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
