// A message centre on loopback. It prints its port, then one JSON line for each thing that happens, and does what the
// lines of its standard input say: {"receipt": {...}}, {"text": {...}}, {"drop": true}.
//
// The last two digits of a recipient decide: 01 is throttled, 02 no recipient, 03 never answered, 04 cut off, 05 refused
// for reasons of a vendor's own, 06 refused for good; 11 to 15 are taken and then reported otherwise than delivered.
const smpp = require('smpp');
const readline = require('readline');

const REFUSED = {'01': smpp.ESME_RTHROTTLED, '02': smpp.ESME_RINVDSTADR, '05': 0x500, '06': smpp.ESME_RINVSRCADR};
const STATES = {'11': 'UNDELIV', '12': 'EXPIRED', '13': 'REJECTD', '14': 'BANANA', '15': 'ENROUTE'};
const say = (event) => console.log(JSON.stringify(event));
const receivers = [];
const parts = {};
let count = 0;

function textOf(pdu) {
  const payload = pdu.message_payload;
  const content = payload !== undefined ? payload : pdu.short_message;
  return content && content.message !== undefined ? content.message : content;
}

// As a phone does it: all parts of one recipient and joint, put in order.
function join(pdu) {
  const udh = pdu.short_message.udh;
  if (!udh) return textOf(pdu);
  const element = Buffer.isBuffer(udh) ? udh.subarray(1) : udh[0];
  const [joint, total, number] = [element[2], element[3], element[4]];
  const kept = (parts[`${pdu.destination_addr}/${joint}`] ||= {});
  kept[number] = textOf(pdu);
  if (Object.keys(kept).length < total) return null;
  delete parts[`${pdu.destination_addr}/${joint}`];
  return Array.from({length: total}, (_, index) => kept[index + 1]).join('');
}

function report(session, id, state, to, from, tlv) {
  const words = `id:${id} sub:001 dlvrd:001 submit date:2611211000 done date:2611211001 stat:${state} err:000 text:hi`;
  const fields = {source_addr: to, destination_addr: from, esm_class: 4, short_message: words};
  const tell = () => session.deliver_sm(tlv ? {...fields, ...tlv} : fields, (answer) => {
    if (answer.command_status === smpp.ESME_RX_T_APPN) return setTimeout(tell, 500);  // not now, it says
    say({answered: answer.command_status});
  });
  tell();
}

function bind(session, pdu, receives) {
  const known = pdu.system_id === 'signalbox' && pdu.password === 'pa,ss';
  say({bind: pdu.command, known});
  if (!known) {
    session.send(pdu.response({command_status: smpp.ESME_RINVPASWD}));
    return session.close();
  }
  session.send(pdu.response());
  if (receives) receivers.push(session);
}

const server = smpp.createServer((session) => {
  session.on('error', () => {});
  session.on('bind_transceiver', (pdu) => bind(session, pdu, true));
  session.on('bind_transmitter', (pdu) => bind(session, pdu, false));
  session.on('enquire_link', (pdu) => { say({enquired: true}); session.send(pdu.response()); });
  session.on('enquire_link_resp', () => say({there: true}));
  session.on('unbind', (pdu) => { say({unbound: true}); session.send(pdu.response()); session.close(); });
  session.on('close', () => receivers.splice(0, receivers.length, ...receivers.filter((other) => other !== session)));
  session.on('submit_sm', (pdu) => {
    const last = pdu.destination_addr.slice(-2);
    if (last === '03') return say({ignored: true});
    if (last === '04') { say({cut: true}); return session.destroy(); }
    if (REFUSED[last]) return session.send(pdu.response({command_status: REFUSED[last]}));
    const id = `m-${++count}`;
    session.send(pdu.response({message_id: id}));
    say({
      id, to: pdu.destination_addr, from: pdu.source_addr, coding: pdu.data_coding, registered: pdu.registered_delivery,
      ton: [pdu.source_addr_ton, pdu.dest_addr_ton], whole: join(pdu), length: Buffer.byteLength(textOf(pdu)),
    });
    if (pdu.registered_delivery && receivers.length) {
      report(receivers[0], id, STATES[last] || 'DELIVRD', pdu.destination_addr, pdu.source_addr);
    }
  });
});

readline.createInterface({input: process.stdin}).on('line', (line) => {
  const {receipt, text, drop, ask} = JSON.parse(line);
  if (receipt) report(receivers[0], receipt.id, receipt.state, '447700900123', 'PIGEON', receipt.tlv);
  if (text && text.short_message.udh) text.short_message.udh = Buffer.from(text.short_message.udh.data);
  if (text) receivers[0].deliver_sm(text, (answer) => say({answered: answer.command_status}));
  if (ask) receivers[0].enquire_link();
  if (drop) receivers.slice().forEach((session) => session.destroy());
}).on('close', () => process.exit(0));

server.listen(0, '127.0.0.1', () => say({port: server.address().port}));
