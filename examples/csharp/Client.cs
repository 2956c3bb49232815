// dotnet run -- call GET '/api/partner/v1/domains/search?q=solar'
// dotnet run -- call POST /api/partner/v1/orders order.json order-1
// dotnet run -- vectors < tasks        see ../README.md
// With Mono instead: mcs -out:client.exe *.cs, then mono client.exe call ...
using System;
using System.IO;
using System.Net;
using System.Text;

static class Client
{
    static void Main(string[] arguments)
    {
        if (arguments[0] == "call") Call(arguments);
        else Vectors();
    }

    static void Call(string[] arguments)
    {
        var method = arguments[1];
        var target = arguments[2];
        var body = arguments.Length > 3 ? File.ReadAllBytes(arguments[3]) : new byte[0];
        var url = Environment.GetEnvironmentVariable("PARTNER_URL") ?? "http://127.0.0.1:4600";
        var keyId = Environment.GetEnvironmentVariable("PARTNER_KEY_ID");
        var secret = Environment.GetEnvironmentVariable("PARTNER_SECRET");
#pragma warning disable SYSLIB0014 // The one HTTP client that .NET and Mono both have without further packages.
        var request = (HttpWebRequest)WebRequest.Create(url + target);
#pragma warning restore SYSLIB0014
        request.Method = method;
        request.ServicePoint.Expect100Continue = false;
        foreach (var header in PartnerSigning.SignedHeaders(keyId, secret, method, target, body)) request.Headers[header.Key] = header.Value;
        if (arguments.Length > 4) request.Headers["Idempotency-Key"] = arguments[4];
        if (body.Length > 0)
        {
            request.ContentType = "application/json";
            request.ContentLength = body.Length;
            using (var stream = request.GetRequestStream()) stream.Write(body, 0, body.Length);
        }
        using (var answer = AnswerOf(request))
        using (var reader = new StreamReader(answer.GetResponseStream()))
        {
            Console.WriteLine((int)answer.StatusCode + " " + reader.ReadToEnd());
        }
    }

    /// <summary>A refusal is an answer, too.</summary>
    static HttpWebResponse AnswerOf(HttpWebRequest request)
    {
        try
        {
            return (HttpWebResponse)request.GetResponse();
        }
        catch (WebException refusal) when (refusal.Response != null)
        {
            return (HttpWebResponse)refusal.Response;
        }
    }

    static byte[] Decoded(string field)
    {
        return field == "-" ? new byte[0] : Convert.FromBase64String(field);
    }

    static void Vectors()
    {
        for (var line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine())
        {
            var task = line.Split(' ');
            if (task[0] == "call")
            {
                var canonical = Encoding.UTF8.GetBytes(PartnerSigning.CanonicalString(task[1], task[2], task[3], task[4], Decoded(task[6])));
                Console.WriteLine(Convert.ToBase64String(canonical) + " " + PartnerSigning.Sign(canonical, Decoded(task[5])));
            }
            else
            {
                var signature = Encoding.UTF8.GetString(Decoded(task[2]));
                Console.WriteLine(PartnerSigning.IsSignedWebhook(Decoded(task[3]), signature, Decoded(task[1])) ? "accepted" : "refused");
            }
        }
    }
}
